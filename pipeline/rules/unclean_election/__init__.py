"""The rule unclean_election: what it finds, its proof, its page and its cases."""
