"""Rules of the audit: each has all of its parts, and its cases hold."""
