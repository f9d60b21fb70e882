"""The rule voter_data: what it finds, its proof, its page and its cases."""
