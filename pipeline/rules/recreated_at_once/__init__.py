"""The rule recreated_at_once: what it finds, its proof, its page and its cases."""
