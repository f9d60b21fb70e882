"""Partitions of a cluster at one time: who leads them, with which replicas, and which are not well."""

from datetime import datetime

import polars as pl
from polars import col, when

from pipeline.views.reading.answers import Answers
from pipeline.views.reading.in_doubt import is_service_unknown
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at
from pipeline.views.terms.tenures import context_row

TIMELINE = "gold.partition_timeline"
UNDETERMINED = "undetermined"
STATE = (
    *("state", "leader", "is_served", "unserved_why", "leader_epoch", "replicas", "is_assignment_stale"),
    *("isr", "is_isr_stale", "adding_replicas", "removing_replicas", "is_deleting"),
)  # fmt: skip


def topic_partition_name(row: Row) -> str:
    return f"{row['topic']}-{row['partition']}"


def partitions_at(answers: Answers, at: datetime) -> pl.DataFrame:
    """One row a partition: topic, partition, STATE, since_at, known_by, certainty; trouble: the first that holds of
    nobody serves it (0), not known (1), an ISR that is known is short (2), led by another than the preferred one (3);
    null: it is well."""
    columns = ("topic", "partition", "topic_life", *STATE, "stated_from_at", "term_id", "certainty")
    rows = answers.rows(TIMELINE, holds_at(at), columns)
    return with_trouble(rows.rename({"stated_from_at": "since_at", "term_id": "known_by"}))


def with_trouble(rows: pl.DataFrame) -> pl.DataFrame:
    is_unknown = (col("certainty") == UNDETERMINED) | col("is_assignment_stale") | col("is_served").is_null()
    is_short = ~col("is_isr_stale") & (col("isr").list.len() < col("replicas").list.len())
    trouble = (
        when(~col("is_served")).then(0)
        .when(is_unknown.fill_null(value=True)).then(1)
        .when(is_short).then(2)
        .when(col("leader") != col("replicas").list.first()).then(3)
    )  # fmt: skip
    return rows.with_columns(trouble=trouble).sort("topic", "partition", "topic_life")


def partition_rows(partitions: pl.DataFrame) -> list[Row]:
    return [
        context_row(
            topic_partition_name(one),
            {name: one[name] for name in STATE},
            one["since_at"],
            one | {"term_id": one["known_by"]},
        )
        for one in partitions.iter_rows(named=True)
    ]


def counts_of(partitions: pl.DataFrame) -> Row:
    """deleting is counted in none of the others but all; leaderless: certainly; service_unknown: perhaps."""
    there = ~col("is_deleting")
    is_sure = ~col("is_assignment_stale").fill_null(value=True)
    is_short = col("isr").list.len() < col("replicas").list.len()
    is_isr_unknown = col("isr").is_null() | col("is_isr_stale").fill_null(value=True)
    is_elsewhere = (col("leader") != col("replicas").list.first()) & is_sure
    is_unknown = (col("certainty") == UNDETERMINED) | col("leader").is_null() | col("replicas").is_null()
    return partitions.select(
        all=pl.len(),
        deleting=col("is_deleting").sum(),
        leaderless=(there & ~col("is_served") & (col("certainty") != UNDETERMINED)).sum(),
        service_unknown=is_service_unknown().sum(),
        short=(there & is_short & ~is_isr_unknown).sum(),
        isr_unknown=(there & is_isr_unknown).sum(),
        elsewhere=(there & col("is_served") & is_elsewhere).sum(),
        unknown=(there & (is_unknown | ~is_sure)).sum(),
    ).row(0, named=True)
