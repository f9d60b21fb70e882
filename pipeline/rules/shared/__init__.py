"""What several rules find with."""
