"""What a build of partition_timeline from a day on is given of the time before it, from tables that were built whole."""

from collections.abc import Iterable
from datetime import datetime

import polars as pl
from polars import col

from pipeline.model.partitions.topic_lives import DELETION_BEFORE

PLACE = ("file_id", "byte_offset")
TOPIC = ("cluster_id", "topic")
KRAFT_PARTITION = ("cluster_id", "topic_id", "partition")


def reaching(column: str, day: datetime) -> pl.Expr:
    """True if a time is not before the day; what has no end reaches it."""
    return (col(column) >= day).fill_null(value=True)


def deletion_before(topic_event: pl.DataFrame, controller_line: pl.DataFrame, day: datetime) -> pl.DataFrame:
    """(cluster_id, topic, deletions, removed_at) of topics that ended before the day."""
    later = controller_line.filter(reaching("ordered_at", day))
    earlier = topic_event.filter(col("logged_at") < day).join(later, on=PLACE, how="anti")
    rows = []
    for (cluster_id, topic), steps in earlier.sort("logged_at", *PLACE).group_by(TOPIC):
        ends = steps.filter(col("step").is_in(["deletion_completed", "removed"]))
        last = (
            steps.filter(col("step").is_in(["created", "removed"])).tail(1).filter(col("step") == "removed")
        )
        if not ends.is_empty():
            removed_at = None if last.is_empty() else last["logged_at"][0]
            rows.append((cluster_id, topic, ends.height, removed_at))
    return pl.DataFrame(rows, schema=DELETION_BEFORE, orient="row")


def timeline_before(intervals: pl.DataFrame, said: Iterable[pl.DataFrame], day: datetime) -> pl.DataFrame:
    """Intervals that begin before the day: those open then, and all of the topics of `said`, in which something is said
    afterwards, and of the partitions that are open in KRaft by an inference."""
    named = pl.concat([one.select(TOPIC) for one in said]).unique()
    earlier = intervals.filter(col("valid_from_at") < day)
    is_open = reaching("valid_until_at", day)
    is_inferred = col("topic_id").is_not_null() & col("partition_epoch").is_null()
    inferred = earlier.filter(is_inferred, is_open).select(KRAFT_PARTITION).unique()
    kept = [
        earlier.filter(is_open),
        earlier.join(named, on=TOPIC, how="semi"),
        earlier.join(inferred, on=KRAFT_PARTITION, how="semi"),
    ]
    return pl.concat(kept).unique(
        ["cluster_id", "topic", "topic_life", "partition", "interval_seq", "part_seq"]
    )


def session_before(sessions: pl.DataFrame, day: datetime) -> pl.DataFrame:
    """Sessions of brokers that begin before the day: those that reach it, and the last one of each broker."""
    earlier = sessions.filter(col("joined_at") < day)
    last = earlier.sort("joined_at").unique(["cluster_id", "broker_id"], keep="last")
    kept = pl.concat([earlier.filter(reaching("left_at", day)), last])
    return kept.unique(["cluster_id", "broker_id", "joined_at"])
