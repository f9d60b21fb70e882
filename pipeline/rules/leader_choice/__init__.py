"""The rule leader_choice: what it finds, its proof, its page and its cases."""
