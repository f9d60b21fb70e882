"""The rule outage: what it finds, its proof, its page and its cases."""
