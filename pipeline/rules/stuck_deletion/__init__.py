"""The rule stuck_deletion: what it finds, its proof, its page and its cases."""
