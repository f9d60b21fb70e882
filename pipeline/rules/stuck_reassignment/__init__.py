"""The rule stuck_reassignment: what it finds, its proof, its page and its cases."""
