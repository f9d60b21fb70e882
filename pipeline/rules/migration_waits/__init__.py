"""The rule migration_waits: what it finds, its proof, its page and its cases."""
