"""The rule log_dir_failed: what it finds, its proof, its page and its cases."""
