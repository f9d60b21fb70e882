"""The wording of every line, as data."""
