"""The rule request_error: what it finds, its proof, its page and its cases."""
