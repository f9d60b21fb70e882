"""The rule replica_left_on_disk: what it finds, its proof, its page and its cases."""
