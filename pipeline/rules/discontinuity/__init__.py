"""The rule discontinuity: what it finds, its proof, its page and its cases."""
