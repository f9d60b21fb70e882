"""The rule topic_vanished: what it finds, its proof, its page and its cases."""
