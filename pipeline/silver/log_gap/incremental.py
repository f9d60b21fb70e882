"""What a change of silver.log_gap has judged anew."""

import polars as pl
from polars import col

from pipeline.core.incremental import AFFECTS, Incremental
from schemas.silver.log_gap import LINES_MISSING

OF_PARTITIONS = "state-change"


def missing_since(log_gap: pl.DataFrame) -> pl.DataFrame:
    """Verdicts are in doubt from the first time on from which lines of a node are missing."""
    at = pl.coalesce("from_at", "until_at")
    is_of_partitions = (col("log") == OF_PARTITIONS).fill_null(value=False)
    missing = log_gap.filter(col("kind").is_in(LINES_MISSING))
    of_node = ("cluster_id", "node_id", "is_of_partitions")
    first = missing.with_columns(is_of_partitions=is_of_partitions).group_by(of_node).agg(at=at.min())
    return first.with_columns(col("at").alias(AFFECTS))


INCREMENTAL = Incremental(changes_verdicts=(missing_since,))
