"""When partitions of a cluster were being reassigned."""

import polars as pl
from polars import col

PARTITION = ("cluster_id", "topic", "partition")
BEGINS = ("started", "listed", "resumed")
ENDS = ("removed", "completed", "failed", "skipped")
# From 2.4, where the assignment itself says what is being moved.
ASSIGNED = "reassignment_assignment_updating"


def reassigning(partition_timeline: pl.DataFrame, reassignment_event: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, from_at, until_at; null: still at the end) of the reassignment of each partition.

    From 2.4 the assignment says what is being moved. Up to 2.3 it does not: there one goes on from the line that
    begins it, or that lists it at a controller's start, until it is taken out of the list or fails.
    Source: KafkaController.onPartitionReassignment, 0.8.1 to 2.3; updateCurrentReassignment, from 2.4.
    """
    is_moved = (col("adding_replicas").list.len() > 0) | (col("removing_replicas").list.len() > 0)
    told = partition_timeline.filter(is_moved).select(
        "cluster_id", from_at="valid_from_at", until_at="valid_until_at"
    )
    following = col("logged_at").shift(-1).over(PARTITION)
    begun = (
        steps(reassignment_event)
        .sort(*PARTITION, "logged_at", "file_id", "byte_offset")
        .with_columns(until_at=following)
        .filter(col("step").is_in(BEGINS))
        .select("cluster_id", "until_at", from_at="logged_at")
    )
    return pl.concat([told, begun.select(told.columns)])


def steps(reassignment_event: pl.DataFrame) -> pl.DataFrame:
    """The rows that begin or end one as lines up to 2.3 tell it."""
    is_step, is_told_by_assignment = col("step").is_in((*BEGINS, *ENDS)), col("event") == ASSIGNED
    return reassignment_event.filter(
        is_step,
        ~is_told_by_assignment.fill_null(value=False),
        col("topic").is_not_null(),
        col("logged_at").is_not_null(),
    )
