"""The rule controller_stalled: what it finds, its proof, its page and its cases."""
