"""What clients could feel over time: the share of partition-time that served, at least and at most."""
