"""The rule controller_outlived: what it finds, its proof, its page and its cases."""
