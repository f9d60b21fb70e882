"""What the cluster was at one time."""
