"""What reassignments that go on wait for, as far as lines show it."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.reassignment.marks import ATTEMPT, NAME
from pipeline.model.lines.evidence import LINES_TYPE, NO_LINES

WAITS = ("waiting_for", "waiting_broker_ids", "waiting_since_at", "waiting_lines")
OPEN = (*ATTEMPT, "started_at")


def with_waiting(
    found: pl.DataFrame,
    broker_session: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    controller_term: pl.DataFrame,
) -> pl.DataFrame:
    """waiting_for, waiting_broker_ids, waiting_since_at of those in progress: a controller that can write, a quorum
    with a leader, a leader to copy from, a request of its own for brokers that are both added and removed, new replicas
    on brokers that are not among the live ones, or that have not caught up; the first of these that lines show."""
    is_open = col("outcome") == "in_progress"
    open_ones = found.filter(is_open)
    asked = open_ones.select(OPEN)
    unknown = open_ones.select(
        *OPEN,
        waiting_for=lit("unknown"),
        waiting_broker_ids="adding_replicas",
        waiting_since_at="started_at",
        waiting_lines=NO_LINES,
    )
    waits = (
        asked.join(without_controller(controller_term), on="cluster_id", how="inner"),
        asked.join(unserved_at_end(partition_timeline, asked), on=NAME, how="inner"),
        adding_and_removing(open_ones),
        gone_brokers_by_attempt(open_ones, broker_session),
        lagging_by_attempt(open_ones),
        unknown,
    )
    first = (
        pl.concat([one.select(*OPEN, *WAITS).with_columns(rank=rank) for rank, one in enumerate(waits)])
        .sort(*ATTEMPT, "rank")
        .unique(ATTEMPT, keep="first", maintain_order=True)
        .with_columns(waiting_since_at=pl.max_horizontal("started_at", "waiting_since_at"))
        .drop("started_at", "rank")
    )
    return (
        found.join(first, on=ATTEMPT, how="left", maintain_order="left")
        .with_columns(evidence=pl.concat_list("evidence", col("waiting_lines").fill_null(NO_LINES)))
        .drop("waiting_lines")
    )


def without_controller(controller_term: pl.DataFrame) -> pl.DataFrame:
    """By cluster, of its last term: ZooKeeper refuses the controller's writes, or the quorum has no leader since."""
    last = controller_term.sort("life", "controller_epoch").unique(
        "cluster_id", keep="last", maintain_order=True
    )
    lines = col("lines").map
    is_fenced = col("fenced_from_at").is_not_null() & col("fenced_until_at").is_null()
    is_vacant = col("vacant_from_at").is_not_null() & col("superseded_at").is_null()
    return last.filter(is_fenced | is_vacant).select(
        "cluster_id",
        waiting_for=when(is_fenced).then(lit("controller_powerless")).otherwise(lit("quorum_lost")),
        waiting_broker_ids=when(is_fenced).then(pl.concat_list(col("controller_id").cast(pl.Int32))),
        waiting_since_at=when(is_fenced).then("fenced_from_at").otherwise("vacant_from_at"),
        waiting_lines=when(is_fenced)
        .then(lines.get("fenced"))
        .otherwise(lines.get("vacant"))
        .fill_null(NO_LINES),
    )


def unserved_at_end(partition_timeline: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """By partition that nobody serves at the end: since when, and its leader, where that broker is gone."""
    is_open = col("valid_until_at").is_null()
    own = partition_timeline.join(asked.select(NAME).unique(), on=NAME, how="semi")
    is_without = (col("is_served") == lit(value=False)).fill_null(value=False)
    served = own.filter(~is_without).group_by(NAME).agg(since_at=col("valid_until_at").max())
    begun = own.filter(is_without).group_by(NAME).agg(first_at=col("valid_from_at").min())
    return (
        own.filter(is_open, is_without)
        .join(served, on=NAME, how="left")
        .join(begun, on=NAME, how="left")
        .select(
            *NAME,
            waiting_for=lit("no_leader"),
            waiting_broker_ids=when(col("unserved_why") == "leader_gone").then(pl.concat_list("leader")),
            waiting_since_at=pl.coalesce("since_at", "first_at"),
            waiting_lines=col("evidence").list.head(1),
        )
    )


def adding_and_removing(open_ones: pl.DataFrame) -> pl.DataFrame:
    """By attempt that goes on though every assigned replica is in sync: from 4.3 Kafka ends each then, but for one with
    a broker that it adds and removes at once. So it is left where another target, without new brokers, overrides one
    that adds a broker: the added stays among those to be added. The brokers: as records have them, null: not read.

    Source: PartitionReassignmentReplicas.maybeCompleteReassignment (KAFKA-19975),
    ReplicationControlManager.changePartitionReassignment, 4.3.
    """
    brokers = col("adding_and_removing").list.sort()
    return open_ones.filter(col("all_in_sync_lines").list.len() > 0).select(
        OPEN,
        waiting_for=lit("adding_and_removing"),
        waiting_broker_ids=when(brokers.list.len() > 0).then(brokers),
        waiting_since_at="started_at",
        waiting_lines="all_in_sync_lines",
    )


@needs_rows_of("open_ones")
def gone_brokers_by_attempt(open_ones: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """By attempt: the brokers of its new replicas, else of its replicas, that left and did not come back."""
    last = broker_session.sort("joined_at").unique(
        ["cluster_id", "broker_id"], keep="last", maintain_order=True
    )
    left = last.filter(col("left_at").is_not_null()).select(
        "cluster_id", "broker_id", "left_at", left_line=col("evidence").list.last()
    )
    has_new = col("adding_replicas").list.len() > 0
    wanted = when(has_new).then("adding_replicas").otherwise("target_replicas")
    return (
        open_ones.select(OPEN, broker_id=wanted)
        .explode("broker_id")
        .join(left, on=["cluster_id", "broker_id"], how="inner")
        .sort(*ATTEMPT, "broker_id")
        .group_by(OPEN, maintain_order=True)
        .agg(
            waiting_broker_ids="broker_id",
            waiting_since_at=pl.max_horizontal("started_at", "left_at").min(),
            waiting_lines=col("left_line").drop_nulls(),
        )
        .with_columns(waiting_for=lit("broker_gone"))
    )


@needs_rows_of("open_ones")
def lagging_by_attempt(open_ones: pl.DataFrame) -> pl.DataFrame:
    """By attempt: replicas of which Kafka says that they have not caught up, as it does up to 2.3."""
    is_lagging = (col("lagging_replicas").list.len() > 0).fill_null(value=False)
    return open_ones.filter(is_lagging, col("caught_up_at").is_null()).select(
        OPEN,
        waiting_for=lit("broker_lagging"),
        waiting_broker_ids="lagging_replicas",
        waiting_since_at="started_at",
        waiting_lines=lit([], LINES_TYPE),
    )
