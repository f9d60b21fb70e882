"""What several proofs stand on: records read anew, and no code of what found them."""
