"""The rule slow_event: what it finds, its proof, its page and its cases."""
