"""The partitions of a topic's life: when each was added, became Online, and had a leader that says so itself."""

import polars as pl
from polars import col, lit

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span import Span
from pipeline.core.stretches import open_end
from pipeline.gold.topic_lifecycle.zookeeper_lives import LIFE, LINE, TOPIC
from pipeline.model.lines.evidence import LINE as PLACE

PART = (*LIFE, "partition")
KNOWN = ("replicas", "added_at")
STATES = ("online", "serving")
FIELDS = (
    *("partition", *KNOWN),
    *(f"{state}_{name}" for state in STATES for name in ("at", *PLACE)),
)
REPLAYED = "partition_created"  # a controller of KRaft prints the record
APART_MS = 100  # records of one creation are replayed one after another
LEADS = ("broker_leader_started", "broker_become_leader_completed")


@needs_rows_of("rows")
def of_life(rows: pl.DataFrame, lives: pl.DataFrame) -> pl.DataFrame:
    """Rows (TOPIC, at) with topic_life: the last one that began by then, and had not ended before."""
    begun = lives.select(*LIFE, "first_seen_at", "ended_at").sort("first_seen_at", "topic_life")
    return (
        rows.sort("at")
        .join_asof(begun, left_on="at", right_on="first_seen_at", by=TOPIC, check_sortedness=False)
        .filter(col("topic_life").is_not_null(), col("at") <= open_end("ended_at"))
        .drop("first_seen_at", "ended_at")
    )


def life_partitions(
    lives: pl.DataFrame,
    assignment: pl.DataFrame,
    moves: pl.DataFrame,
    leads: pl.DataFrame,
    lines: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """(PART, FIELDS) of lives. lives have `known`: their partitions as told before the span.

    moves: of became_online(). leads: of leader_lines(). lines: places of controllers' lines.
    """
    stated = assignment.filter(col("step").is_in(["created", "added"]), col("partition").is_not_null())
    in_zookeeper = stated.join(lines.select(*LINE, "at"), on=LINE, how="inner").select(
        *TOPIC, "partition", "replicas", "at"
    )
    replayed = stated.filter(col("event") == REPLAYED)
    later = replayed.filter(span.since("logged_at"))
    of_id = lives.filter(col("topic_id").is_not_null()).select(*LIFE, "topic_id")
    # Up to 2.8 the line names the id alone.
    in_kraft = (
        later.drop("topic")
        .join(of_id, on=["cluster_id", "topic_id"], how="inner")
        .select(*PART, "replicas", at="logged_at")
    )
    known = (
        lives.select(*LIFE, "known")
        .explode("known", empty_as_null=False, keep_nulls=False)
        .unnest("known")
        .select(*PART, *KNOWN, *FIELDS[3:])
    )
    told = pl.concat([of_life(in_zookeeper, lives).select(*PART, "replicas", "at"), in_kraft])
    new = (
        told.join(known, on=PART, how="anti")
        .sort("at")
        .unique(PART, keep="first", maintain_order=True)
        .rename({"at": "added_at"})
    )
    found = pl.concat([known, new], how="diagonal")
    return found.pipe(with_first, "online", of_life(moves, lives)).pipe(
        with_first, "serving", of_life(leads, lives)
    )


def became_online(partition_transition: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """Moves of new partitions to Online: (TOPIC, partition, at, PLACE)."""
    is_first = (
        (col("from_state") == "NewPartition")
        & (col("to_state") == "OnlinePartition")
        & (col("outcome") == "done")
    )
    moved = partition_transition.filter(is_first).select(*LINE, "topic", "partition")
    return moved.join(lines.select(*LINE, "at"), on=LINE, how="inner")


def leader_lines(leader_and_isr: pl.DataFrame, control_request: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Lines of brokers that say that they lead a new partition: (TOPIC, partition, at, PLACE). From 2.6 on they say its
    leader epoch, 0: a later one is not the first, which stands in a log that is missing.

    Source: Partition.makeLeader, from 2.6; ReplicaManager.makeLeaders, up to 3.9 at TRACE.
    """
    columns = (*LINE, "topic", "partition")
    is_first = (col("leader_epoch") == 0).fill_null(value=True)
    both = pl.concat(
        one.filter(
            col("event").is_in(LEADS),
            is_first,
            col("partition").is_not_null(),
            col("topic").is_not_null(),
        ).select(*columns, at="logged_at")
        for one in (leader_and_isr, control_request)
    )
    return both.filter(span.since("at"))


def with_first(parts: pl.DataFrame, state: str, lines: pl.DataFrame) -> pl.DataFrame:
    """<state>_at and its line of partitions that have none: the first of these lines since it was added."""
    later = (
        parts.filter(col(f"{state}_at").is_null())
        .select(*PART, "added_at")
        .join(lines, on=PART, how="inner")
        .filter(col("at") >= col("added_at"))
        .sort("at", *PLACE)
        .unique(PART, keep="first", maintain_order=True)
        .select(*PART, **{f"new_{name}": name for name in ("at", *PLACE)})
    )
    names = [f"{state}_{name}" for name in ("at", *PLACE)]
    found = (
        pl.coalesce(f"{state}_{name}", f"new_{name}").alias(f"{state}_{name}") for name in ("at", *PLACE)
    )
    has_none = [one for one in names if one not in parts.columns]
    return (
        parts.with_columns(lit(None).alias(one) for one in has_none)
        .join(later, on=PART, how="left")
        .with_columns(found)
        .drop(f"new_{name}" for name in ("at", *PLACE))
    )
