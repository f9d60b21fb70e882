"""The rule reassignment_skipped: what it finds, its proof, its page and its cases."""
