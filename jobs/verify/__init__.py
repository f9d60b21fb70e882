"""Proves findings again from the bytes of their records; a contract of imports keeps it from all that found them."""
