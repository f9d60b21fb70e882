"""The rule clock_skew: what it finds, its proof, its page and its cases."""
