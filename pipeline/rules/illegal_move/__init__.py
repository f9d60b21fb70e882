"""The rule illegal_move: what it finds, its proof, its page and its cases."""
