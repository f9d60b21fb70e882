"""States of partitions by lines of text, held against those on record: nothing of a line's tables is changed by it."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import Incremental
from pipeline.core.made_of import made_of
from pipeline.core.span import Span
from schemas.gold.witness_check import SPEC

A_DAY = timedelta(days=1)
KEY = ("topic_id", "partition", "partition_epoch")
COMPARED = ("leader", "leader_epoch", "isr", "replicas")
MADE_BY = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
KEPT = 5
EQUAL, SILENT, DIFFERS = "equal", "silent", "differs"


@made_of(SPEC, "metadata_partition")
def build(
    metadata_partition: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    source_file: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per day with states on record, in the time of the lines.

    Rows:    a state on record and rows of the timeline of the same topic id, partition and partition epoch, which stood
             on the day and began no later than the day after; several of them are equal if one is.
    What lines leave open does not differ, nor does an assignment of which they say that it may be stale. A log that
    has no topic in common with the lines is of another cluster: it gives no row.
    """
    rows = partition_timeline.filter(col("topic_id").is_not_null(), col("part_seq") == 1)
    first, last = source_file["first_logged_at"].min(), source_file["last_logged_at"].max()
    states = metadata_partition.filter(
        col("made_by").is_in(MADE_BY), ~col("is_base"), col("partition_epoch").is_not_null()
    )
    if states.is_empty() or rows.join(metadata_partition, on="topic_id", how="semi").is_empty():
        return empty_frame(SPEC)
    said = states.filter(span.since("ordered_at"), col("decided_at").is_between(first, last)).select(
        "cluster_id", *KEY, *COMPARED, "topic", "record_offset", day_at=col("ordered_at").dt.truncate("1d")
    )
    return counted_by_day(with_answer_of_lines(said, rows))


def with_answer_of_lines(said: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Each state on record with the row of the timeline that is nearest to it: one that is equal, if any is."""
    told = rows.drop_nulls("partition_epoch").select(
        *KEY,
        *(col(name).alias(f"{name}_told") for name in COMPARED),
        *("is_assignment_stale", "certainty", "valid_from_at", "valid_until_at", "evidence"),
    )
    both = said.join(told, on=KEY, how="left")
    stood = (col("valid_from_at") < col("day_at") + 2 * A_DAY) & (
        col("valid_until_at").is_null() | (col("valid_until_at") >= col("day_at"))
    )
    is_told = stood.fill_null(value=False)
    answer = when(~is_told).then(lit(SILENT)).when(is_alike()).then(lit(EQUAL)).otherwise(lit(DIFFERS))
    order = col("answer").replace_strict({EQUAL: 0, DIFFERS: 1, SILENT: 2}, return_dtype=pl.Int8)
    is_unproved = (col("answer") == EQUAL) & (col("certainty") != "proved")
    return (
        both.with_columns(answer=answer)
        .with_columns(is_unproved=is_unproved.all().over("record_offset", *KEY))
        .sort("record_offset", *KEY, order, "valid_from_at")
        .unique(["record_offset", *KEY], keep="first", maintain_order=True)
    )


def is_alike() -> pl.Expr:
    """True if nothing that both have is other: of ISRs the order does not count."""
    found = []
    for name in COMPARED:
        told, recorded = col(f"{name}_told"), col(name)
        if name == "isr":
            told, recorded = told.list.sort(), recorded.list.sort()
        is_open = told.is_null() | recorded.is_null()
        if name == "replicas":
            is_open |= col("is_assignment_stale").fill_null(value=False)
        found.append(is_open | (told == recorded))
    return pl.all_horizontal(found).fill_null(value=True)


def counted_by_day(answers: pl.DataFrame) -> pl.DataFrame:
    differing = answers.filter(col("answer") == DIFFERS).with_columns(example=example_text())
    number = {
        f"{name}_count": (col("answer") == answer).sum().cast(pl.Int64)
        for name, answer in (("equal", EQUAL), ("undecided", SILENT), ("differing", DIFFERS))
    }
    days = answers.group_by("cluster_id", "day_at").agg(
        said_count=pl.len().cast(pl.Int64),
        unproved_count=col("is_unproved").sum().cast(pl.Int64),
        first_offset=col("record_offset").min(),
        last_offset=col("record_offset").max(),
        **number,
    )
    first = (
        differing.sort("record_offset", *KEY)
        .group_by("cluster_id", "day_at", maintain_order=True)
        .agg(
            col("topic", "partition", "partition_epoch", "record_offset").first(),
            differing_at=col("valid_from_at").first(),
            examples=col("example").head(KEPT),
            evidence=col("evidence").list.first().head(KEPT),
        )
    )
    return (
        days.join(first, on=["cluster_id", "day_at"], how="left")
        .with_columns(col("examples", "evidence").fill_null([]))
        .select(SPEC.columns)
    )


def example_text() -> pl.Expr:
    """orders-0 at offset 845: leader 3 against 1, leader epoch 7 against 6."""
    parts = []
    for name in COMPARED:
        recorded, told = (shown_value(one) for one in (name, f"{name}_told"))
        is_other = recorded.ne_missing(told) & told.is_not_null()
        parts.append(
            when(is_other).then(pl.format(f"{name.replace('_', ' ')} {{}} against {{}}", recorded, told))
        )
    place = pl.format("{}-{} at offset {}: ", "topic", "partition", "record_offset")
    return pl.concat_str(place, pl.concat_list(parts).list.drop_nulls().list.join(", "))


def shown_value(name: str) -> pl.Expr:
    if name.startswith(("isr", "replicas")):
        return pl.format("[{}]", col(name).cast(pl.List(pl.String)).list.join(","))
    return col(name).cast(pl.String)


INCREMENTAL = Incremental(ordered_by="day_at", lookback_days=1)
