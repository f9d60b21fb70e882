"""What was found, as frames of one cluster: context, changes and gauges, from its published tables alone."""
