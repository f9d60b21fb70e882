"""The rule broker_fenced: what it finds, its proof, its page and its cases."""
