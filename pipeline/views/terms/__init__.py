"""Who was controller when, and what was told of that time."""
