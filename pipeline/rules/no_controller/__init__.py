"""The rule no_controller: what it finds, its proof, its page and its cases."""
