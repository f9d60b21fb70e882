"""The rule last_known_leader: what it finds, its proof, its page and its cases."""
