"""The rule requests_lost: what it finds, its proof, its page and its cases."""
