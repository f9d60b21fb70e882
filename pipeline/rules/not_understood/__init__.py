"""The rule not_understood: what it finds, its proof, its page and its cases."""
