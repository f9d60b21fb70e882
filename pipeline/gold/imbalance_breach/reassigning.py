"""When partitions of a cluster were being reassigned."""

import polars as pl
from polars import col

REFUSED = ("skipped", "failed")


def reassignment_spans(reassignment: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, from_at, until_at; null: still at the end) of each reassignment that was begun.

    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, which moves nothing meanwhile, 0.8.1 to 3.3.
    """
    is_begun = ~col("outcome").is_in(REFUSED) | (col("ended_at") > col("started_at"))
    return reassignment.filter(is_begun).select("cluster_id", from_at="started_at", until_at="ended_at")
