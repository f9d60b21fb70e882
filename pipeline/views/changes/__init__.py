"""What people or tools asked of the cluster: which lines are such a change, and what became of it."""
