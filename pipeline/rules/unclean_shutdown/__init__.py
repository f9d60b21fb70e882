"""The rule unclean_shutdown: what it finds, its proof, its page and its cases."""
