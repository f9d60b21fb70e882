"""Unclean elections that cost nothing: the one elected has all that was acknowledged."""

import polars as pl
from polars import col, lit, when

PARTITION = ("cluster_id", "topic", "topic_life", "partition")
UNDETERMINED = "undetermined"


def with_last_leader(elections: pl.DataFrame, intervals: pl.DataFrame) -> pl.DataFrame:
    """Adds was_last_leader to unclean elections: true where the one elected has the only replica, or led last before
    nobody did; null where an election is clean, or the last leader is not known.

    Up to 1.0, and with unclean election allowed (the default up to 0.10.2), a controller empties the ISR when its last
    member leaves: Kafka then calls its return an election from outside of the ISR, though it holds every record.
    intervals: rows of gold.partition_timeline, at least the last one with a leader before each election.
    Source: KafkaController.removeReplicaFromIsr, OfflinePartitionLeaderSelector.
    """
    led = intervals.filter((col("leader") >= 0) & (col("certainty") != UNDETERMINED))
    last = led.sort("valid_from_at").select(*PARTITION, "valid_from_at", last_leader="leader")
    is_alone = (col("replicas").list.len() == 1) & col("replicas").list.contains(col("leader"))
    is_again = col("last_leader") == col("leader")
    was_last = when(is_alone).then(lit(value=True)).otherwise(is_again)
    return (
        elections.with_row_index("election")
        .sort("elected_at")
        .join_asof(
            last, left_on="elected_at", right_on="valid_from_at", by=PARTITION, allow_exact_matches=False,
            check_sortedness=False,
        )
        .sort("election")
        .with_columns(was_last_leader=when(~col("is_clean")).then(was_last))
        .drop("election", "last_leader", "valid_from_at")
    )  # fmt: skip
