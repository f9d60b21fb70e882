"""What people or tools asked of the cluster: which lines are such a change, what became of it, how it is told."""
