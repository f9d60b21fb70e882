"""The rule controllers_apart: what it finds, its proof, its page and its cases."""
