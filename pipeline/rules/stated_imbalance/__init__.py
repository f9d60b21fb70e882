"""The rule stated_imbalance: what it finds, its proof, its page and its cases."""
