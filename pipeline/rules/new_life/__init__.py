"""The rule new_life: what it finds, its proof, its page and its cases."""
