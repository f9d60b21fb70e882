"""The rule failover_slow: what it finds, its proof, its page and its cases."""
