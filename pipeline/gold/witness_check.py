"""States of partitions by lines of text, held against those on record: nothing of a line's tables is changed by it."""

from datetime import timedelta

import polars as pl
import pyarrow as pa
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import Incremental
from pipeline.core.made_of import made_of
from pipeline.core.span import Span
from schemas.gold.witness_check import SPEC
from schemas.silver.metadata_partition import SPEC as RECORDED

A_DAY = timedelta(days=1)
KEY = ("topic_id", "partition", "partition_epoch")
COMPARED = ("leader", "leader_epoch", "isr", "replicas")
MADE_BY = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
KEPT = 5
EQUAL, SILENT, DIFFERS = "equal", "silent", "differs"


DAY = ("cluster_id", "day_at")
COUNTS = ("said_count", "equal_count", "undecided_count", "differing_count", "unproved_count")
TOPIC = pa.schema([RECORDED.arrow.field("topic_id")])
# The answer to one state on record; line: of the timeline's row.
ANSWER = pa.schema(
    [
        *(SPEC.arrow.field(name) for name in (*DAY, "record_offset")),
        RECORDED.arrow.field("topic_id"),
        *(SPEC.arrow.field(name) for name in ("partition", "partition_epoch", "topic")),
        ("answer", pa.string()),
        ("is_unproved", pa.bool_()),
        SPEC.arrow.field("differing_at"),
        ("example", pa.string()),
        ("line", SPEC.arrow.field("evidence").type.value_type),
    ]
)
SHOWN = ("record_offset", *KEY, "topic", "differing_at", "example", "line")
DAYS = pa.schema(
    [
        *(SPEC.arrow.field(name) for name in (*DAY, *COUNTS, "first_offset", "last_offset")),
        ("differing", pa.list_(pa.struct([ANSWER.field(name) for name in SHOWN]))),
    ]
)


@made_of(TOPIC, "metadata_partition")
def topic_on_record(metadata_partition: pl.DataFrame, partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """(topic_id): a topic that is on record and in the lines, if there is any."""
    return (
        rows_in_kraft(partition_timeline)
        .join(metadata_partition, on="topic_id", how="semi")
        .select("topic_id")
        .head(1)
    )


@made_of(DAYS, "metadata_partition")
def witness_day(
    metadata_partition: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    source_file: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """(DAY, COUNTS, first_offset, last_offset, differing): counts of states on record of the topics that have a name;
    differing: the first of those that differ (SHOWN)."""
    named = metadata_partition.filter(col("topic").is_not_null())
    return counted_by_day(answers_of_lines(named, partition_timeline, source_file, span))


@made_of(ANSWER, "metadata_partition")
def unnamed_answer(
    metadata_partition: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    source_file: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """(ANSWER): one row per state on record of a topic that no record names: the lines of any topic may be its own."""
    unnamed = metadata_partition.filter(col("topic").is_null())
    return answers_of_lines(unnamed, partition_timeline, source_file, span)


PARTIALS = (topic_on_record, witness_day, unnamed_answer)


@made_of(SPEC, "witness_day", "unnamed_answer")
def build(
    topic_on_record: pl.DataFrame, witness_day: pl.DataFrame, unnamed_answer: pl.DataFrame
) -> pl.DataFrame:
    """One row per day with states on record, in the time of the lines.

    Rows:    a state on record and rows of the timeline of the same topic id, partition and partition epoch, which stood
             on the day and began no later than the day after; several of them are equal if one is.
    What lines leave open does not differ, nor does an assignment of which they say that it may be stale. A log that
    has no topic in common with the lines is of another cluster: it gives no row.
    """
    if topic_on_record.is_empty():
        return empty_frame(SPEC)
    unnamed = counted_by_day(nearest_of_each(unnamed_answer, "differing_at"))
    return sums_of_days(pl.concat([witness_day, unnamed]))


def answers_of_lines(
    metadata_partition: pl.DataFrame, partition_timeline: pl.DataFrame, source_file: pl.DataFrame, span: Span
) -> pl.DataFrame:
    """(ANSWER): one row per state on record in the time of the lines and of the span."""
    first, last = source_file["first_logged_at"].min(), source_file["last_logged_at"].max()
    states = metadata_partition.filter(
        col("made_by").is_in(MADE_BY), ~col("is_base"), col("partition_epoch").is_not_null()
    )
    said = states.filter(span.since("ordered_at"), col("decided_at").is_between(first, last)).select(
        "cluster_id", *KEY, *COMPARED, "topic", "record_offset", day_at=col("ordered_at").dt.truncate("1d")
    )
    found = with_answer_of_lines(said, rows_in_kraft(partition_timeline)).with_columns(
        differing_at="valid_from_at", line=col("evidence").list.first()
    )
    differing = found.filter(col("answer") == DIFFERS).with_columns(example=example_text())
    both = [found.filter(col("answer") != DIFFERS), differing]
    return pl.concat(both, how="diagonal").select(ANSWER.names)


def rows_in_kraft(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    return partition_timeline.filter(col("topic_id").is_not_null(), col("part_seq") == 1)


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
    is_unproved = (col("answer") == EQUAL) & (col("certainty") != "proved")
    return (
        both.with_columns(answer=answer)
        .with_columns(is_unproved=is_unproved.all().over("record_offset", *KEY))
        .pipe(nearest_of_each, "valid_from_at")
    )


def nearest_of_each(answers: pl.DataFrame, at: str) -> pl.DataFrame:
    """Of each state on record the first answer by what it is and when its row began."""
    order = col("answer").replace_strict({EQUAL: 0, DIFFERS: 1, SILENT: 2}, return_dtype=pl.Int8)
    in_order = answers.sort("record_offset", *KEY, order, at)
    return in_order.unique(["record_offset", *KEY], keep="first", maintain_order=True)


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
    """(DAYS) of answers (ANSWER)."""
    is_differing = col("answer") == DIFFERS
    number = {
        f"{name}_count": (col("answer") == answer).sum().cast(pl.Int64)
        for name, answer in (("equal", EQUAL), ("undecided", SILENT), ("differing", DIFFERS))
    }
    return (
        answers.sort("record_offset", *KEY)
        .group_by(DAY)
        .agg(
            said_count=pl.len().cast(pl.Int64),
            unproved_count=col("is_unproved").sum().cast(pl.Int64),
            first_offset=col("record_offset").min(),
            last_offset=col("record_offset").max(),
            differing=pl.struct(SHOWN).filter(is_differing).head(KEPT),
            **number,
        )
        .select(DAYS.names)
    )


def sums_of_days(parts: pl.DataFrame) -> pl.DataFrame:
    """Rows of this table of counts by day (DAYS), several of a day."""
    days = parts.group_by(DAY).agg(col(COUNTS).sum(), col("first_offset").min(), col("last_offset").max())
    first = (
        parts.filter(col("differing").list.len() > 0)
        .select(*DAY, "differing")
        .explode("differing")
        .unnest("differing")
        .sort("record_offset", *KEY)
        .group_by(DAY, maintain_order=True)
        .agg(
            col("topic", "partition", "partition_epoch", "record_offset", "differing_at").first(),
            examples=col("example").head(KEPT),
            evidence=col("line").head(KEPT),
        )
    )
    return (
        days.join(first, on=DAY, how="left")
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
