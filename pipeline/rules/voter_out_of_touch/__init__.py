"""The rule voter_out_of_touch: what it finds, its proof, its page and its cases."""
