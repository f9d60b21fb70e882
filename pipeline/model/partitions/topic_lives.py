"""Lives of topics: which one a line is about, and what is said of a topic that its controller should have forgotten."""

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import TIME
from pipeline.model.terms.succession import TERM

TOPIC = ("cluster_id", "topic")
PARTITION_ORDER = ("at", "controller_epoch", "seq", "file_id", "byte_offset")
GONE = "NonExistentPartition"
CREATED, COMPLETED, REMOVED = "created", "deletion_completed", "removed"
QUEUED = "deletion_queued"
# Steps of silver.topic_event by which a topic is queued for deletion.
ASKED = ("deletion_requested", "deletion_listed")
ENDED = (COMPLETED, REMOVED)
# What ends the last interval of each topic where another life of the cluster's metadata begins.
BEGINS_A_LIFE = ("controller_elected", "controller_epoch_incremented", "controller_active")
DELETED, CHANGED = "topic_deletion_completed", "topic_change"
EVENTS = {QUEUED: QUEUED, COMPLETED: DELETED, REMOVED: CHANGED}
DELETION_BEFORE = {
    "cluster_id": pl.String(),
    "topic": pl.String(),
    "deletions": pl.Int64(),
    "removed_at": TIME,
}


def with_topic_life(
    statements: pl.DataFrame,
    topic_event: pl.DataFrame,
    lines: pl.DataFrame,
    term: pl.DataFrame,
    deletion_before: pl.DataFrame,
) -> pl.DataFrame:
    """Statements, and deletions queued, completed and removals in their places; one more life of the topic after each
    end of it. step: that of such a line, null of statements.

    deletion_before: (cluster_id, topic, deletions, removed_at): how often the topic ended before the lines, and when it
    was removed, if it has not been created since.
    """
    step = when(col("step").is_in(ASKED)).then(lit(QUEUED)).otherwise("step")
    steps = topic_event.filter(col("step").is_in([CREATED, *ASKED, *ENDED])).select(
        "file_id", "byte_offset", "topic", step=step, event=step.replace(EVENTS)
    )
    number = col("deleted_before") + col("deletions").fill_null(0) + col("life")
    return (
        pl.concat([statements, steps], how="diagonal")
        .join(lines.drop("line_event"), on=["file_id", "byte_offset"])
        .join(deletion_before, on=TOPIC, how="left")
        .pipe(without_removed, term)
        .filter(col("step").ne_missing(CREATED))
        .pipe(with_deleted_before)
        .with_columns(topic_life=number.cast(pl.Int32))
        .drop("deleted_before", "deletions", "removed_at")
    )


def without_removed(placed: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Without statements of a topic between its removal from ZooKeeper by others than its controller, and its next
    creation, by a controller that was in office when it was removed: up to 1.0 a part of what it holds still has it.

    Source: KafkaController.TopicChange up to 1.0, which takes it off partitionReplicaAssignment alone.
    """
    removed = placed.filter((col("step") == REMOVED) | col("removed_at").is_not_null())
    of_it = placed.join(removed.select(TOPIC).unique(), on=TOPIC, how="semi")
    if of_it.is_empty():
        return placed
    is_gone = (
        when(col("step") == REMOVED).then(lit(value=True)).when(col("step") == CREATED).then(lit(value=False))
    )
    removed_at = when(col("step") == REMOVED).then("at").forward_fill()
    is_statement = col("step").is_null()
    ghosts = (
        of_it.join(term.select(*TERM, began_at="first_seen_at"), on=TERM, how="left")
        # On one line a topic is created before it is said with which replicas.
        .sort(*PARTITION_ORDER, col("step").ne_missing(CREATED))
        .with_columns(
            is_gone=is_gone.forward_fill().over(TOPIC).fill_null(col("removed_at").is_not_null()),
            gone_at=pl.coalesce(removed_at.over(TOPIC), "removed_at"),
        )
        .filter(is_statement & col("is_gone") & (col("began_at") <= col("gone_at")))
    )
    return placed.join(ghosts, on=["file_id", "byte_offset", "topic"], how="anti")


def with_deleted_before(placed: pl.DataFrame) -> pl.DataFrame:
    """deleted_before: how many earlier lines end the topic."""
    is_end = col("step").is_in(ENDED).fill_null(value=False)
    ends = is_end.cast(pl.Int64)
    ended = placed.filter(is_end).select(TOPIC).unique()
    # Few topics are deleted: rows of the others need not be sorted.
    several = (
        placed.join(ended, on=TOPIC, how="semi")
        .sort("life", *PARTITION_ORDER)
        .with_columns(deleted_before=(ends.cum_sum() - ends).over(TOPIC))
    )
    only = placed.join(ended, on=TOPIC, how="anti").with_columns(deleted_before=lit(0, pl.Int64))
    return pl.concat([only, several])
