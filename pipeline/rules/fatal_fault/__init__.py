"""The rule fatal_fault: what it finds, its proof, its page and its cases."""
