"""The rule ratio_disagreement: what it finds, its proof, its page and its cases."""
