"""The rule replay_disagreement: what it finds, its proof, its page and its cases."""
