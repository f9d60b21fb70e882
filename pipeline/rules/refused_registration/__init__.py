"""The rule refused_registration: what it finds, its proof, its page and its cases."""
