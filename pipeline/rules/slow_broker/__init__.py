"""The rule slow_broker: what it finds, its proof, its page and its cases."""
