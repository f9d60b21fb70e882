"""The rule deletion_disabled: what it finds, its proof, its page and its cases."""
