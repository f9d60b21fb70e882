"""Unclean elections that cost nothing: the one elected has all that was acknowledged."""

import polars as pl
from polars import col, lit, when

PARTITION = ("cluster_id", "topic", "topic_life", "partition")
LINE = ("file_id", "byte_offset")
UNDETERMINED = "undetermined"


def with_isr_line(elections: pl.DataFrame, intervals: pl.DataFrame) -> pl.DataFrame:
    """Adds known_isr_<line>: the line that stated isr_before, where the timeline has that ISR just before the election.
    is_isr_numbered: nothing was written between, as the election has the next number; isr_before and isr_line are
    those of that write then: the controller reads them there before it elects.

    intervals: rows of gold.partition_timeline, those that hold just before each election.
    Source: PartitionStateMachine.doElectLeaderForPartitions, from 1.1.
    """
    line = col("isr_evidence").list.first().struct
    stated = intervals.filter(col("isr_evidence").is_not_null()).select(
        *PARTITION,
        "valid_from_at",
        known_isr="isr",
        known_epoch="partition_epoch",
        **{f"known_isr_{name}": line.field(name) for name in LINE},
    )
    is_next = (col("known_epoch") + 1 == col("partition_epoch")) & (col("how") == "move")
    is_numbered = col("is_isr_numbered")
    is_that = (col("known_isr") == col("isr_before")).fill_null(value=False) | is_numbered
    its = {
        f"isr_line_{name}": when(is_numbered).then(f"known_isr_{name}").otherwise(f"isr_line_{name}")
        for name in LINE
    }
    return (
        elections.with_row_index("election")
        .sort("elected_at")
        .join_asof(
            stated.sort("valid_from_at"), left_on="elected_at", right_on="valid_from_at", by=PARTITION,
            allow_exact_matches=False, check_sortedness=False,
        )
        .sort("election")
        .with_columns(is_isr_numbered=is_next.fill_null(value=False))
        .with_columns(**its, isr_before=when(is_numbered).then("known_isr").otherwise("isr_before"), is_that=is_that)
        .with_columns(when("is_that").then(col(f"known_isr_{name}")) for name in LINE)
        .drop("election", "known_isr", "known_epoch", "is_that", "valid_from_at")
    )  # fmt: skip


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
