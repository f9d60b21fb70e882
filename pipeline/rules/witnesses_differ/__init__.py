"""The rule witnesses_differ: what it finds, its proof, its page and its cases."""
