"""The rule standing_imbalance: what it finds, its proof, its page and its cases."""
