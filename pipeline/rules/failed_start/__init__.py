"""The rule failed_start: what it finds, its proof, its page and its cases."""
