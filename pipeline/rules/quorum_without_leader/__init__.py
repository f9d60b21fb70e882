"""The rule quorum_without_leader: what it finds, its proof, its page and its cases."""
