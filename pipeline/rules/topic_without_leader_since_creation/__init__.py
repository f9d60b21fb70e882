"""The rule topic_without_leader_since_creation: what it finds, its proof, its page and its cases."""
