"""The rule topic_removed_by_hand: what it finds, its proof, its page and its cases."""
