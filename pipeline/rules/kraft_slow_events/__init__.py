"""The rule kraft_slow_events: what it finds, its proof, its page and its cases."""
