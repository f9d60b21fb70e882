"""The rule logged_fault: what it finds, its proof, its page and its cases."""
