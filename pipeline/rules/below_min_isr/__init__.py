"""The rule slow_creation: what it finds, its proof, its page and its cases."""
