"""The rule controller_powerless: what it finds, its proof, its page and its cases."""
