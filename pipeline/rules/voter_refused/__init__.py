"""The rule voter_refused: what it finds, its proof, its page and its cases."""
