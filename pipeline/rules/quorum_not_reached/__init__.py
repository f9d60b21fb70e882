"""The rule quorum_not_reached: what it finds, its proof, its page and its cases."""
