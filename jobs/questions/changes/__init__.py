"""How changes that people or tools asked for are told."""
