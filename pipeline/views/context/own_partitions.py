"""What one ZooKeeper controller held of partitions at a time: those of its start, and what its own lines say since."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import column_equals, column_since
from pipeline.core.stretches import TIME
from pipeline.model.partitions.statements import STATED, stated_by_lines
from pipeline.model.partitions.topic_lives import GONE
from pipeline.views.context.context_partitions import STATE, partitions_at, with_trouble
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.terms.tenures import at_or_before

PARTITION = ["topic", "partition"]
LINE = ["file_id", "byte_offset"]
SILVER = ("leader_and_isr", "partition_transition", "assignment")
OFFLINE = "OfflinePartition"


def partitions_of_controller(
    answers: Answers,
    term: Row,
    at: datetime,
    live: set[int],
    ended: Mapping[str, datetime],
    queued: Sequence[str],
) -> pl.DataFrame:
    """As partitions_at() of context_rows has it. live: its live brokers. ended: topics that ended in its term."""
    begun = partitions_at(answers, term["began_at"])
    said = last_stated_partitions(answers, term, at)
    gone = pl.DataFrame(
        {"topic": list(ended), "gone_at": list(ended.values())}, schema={"topic": pl.String, "gone_at": TIME}
    )
    both = (
        begun.join(said, on=PARTITION, how="full", coalesce=True, suffix="_said")
        .join(gone, on="topic", how="left")
        .filter(col("gone_at").is_null() | (col("said_at") > col("gone_at")).fill_null(value=False))
    )
    held = both.with_columns(
        *(pl.coalesce(f"{name}_said", name).alias(name) for name in STATED),
        since_at=pl.coalesce("said_at", "since_at"),
        known_by=when(col("said_at").is_not_null()).then(lit(term["term_id"])).otherwise("known_by"),
        certainty=pl.coalesce("certainty", lit(term["certainty"])),
        is_isr_stale=when(col("isr_said").is_not_null())
        .then(lit(not term["is_isr_told"]))
        .otherwise("is_isr_stale"),
        is_assignment_stale=when(col("replicas_said").is_not_null())
        .then(lit(value=False))
        .otherwise("is_assignment_stale"),
        is_deleting=col("topic").is_in(queued),
    )
    there = held.filter(col("state").ne_missing(GONE))
    is_led = (col("leader") >= 0) & col("leader").is_in(sorted(live)) & col("state").ne_missing(OFFLINE)
    served = there.with_columns(is_served=when(~col("is_deleting")).then(is_led))
    why = when(~col("is_served")).then(
        when(col("leader") < 0).then(lit("no_leader")).when(col("state") == OFFLINE).then(lit("offline"))
        .otherwise(lit("leader_gone"))
    )  # fmt: skip
    columns = [*PARTITION, "topic_life", *STATE, "since_at", "known_by", "certainty"]
    return with_trouble(served.with_columns(unserved_why=why).select(columns))


def last_stated_partitions(answers: Answers, term: Row, at: datetime) -> pl.DataFrame:
    """By partition what its own lines say last: STATED with the suffix _said, and said_at, the last change."""
    period = column_since("logged_at", term["began_at"]) & at_or_before("logged_at", at)
    frames = [answers.rows(f"silver.{name}", period) for name in SILVER]
    columns = (*LINE, "seq", "logged_at")
    lines = answers.rows(
        "silver.controller_line", period & column_equals("term_id", term["term_id"]), columns
    )
    own = stated_by_lines(*frames).join(lines, on=LINE, how="inner").sort("seq")
    last = [col(name).drop_nulls().last().alias(f"{name}_said") for name in STATED]
    return own.group_by(PARTITION).agg(*last, said_at=col("logged_at").max())
