"""The rule missing_logs: what it finds, its proof, its page and its cases."""
