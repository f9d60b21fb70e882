"""The rule event_failed: what it finds, its proof, its page and its cases."""
