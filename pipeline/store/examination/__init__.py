"""All that a warehouse holds of a cluster, against what its runs stated: nothing is written, and no Spark needed."""
