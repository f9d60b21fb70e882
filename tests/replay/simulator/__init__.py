"""A ZooKeeper-mode controller played from a seed: its logs in the wording of any release, and the truth beside."""
