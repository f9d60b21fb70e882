"""The rule quorum_flapping: what it finds, its proof, its page and its cases."""
