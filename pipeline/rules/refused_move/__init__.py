"""The rule refused_move: what it finds, its proof, its page and its cases."""
