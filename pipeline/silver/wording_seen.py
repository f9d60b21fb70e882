"""Wordings seen per segment and hour or minute, from bronze.log_record."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby
from operator import and_, or_

import polars as pl
from polars import col, lit, when

from pipeline.core.incremental import Incremental
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.releases import LEVEL, Sign, events_with, read_release_signs
from schemas.silver.wording_seen import SPEC

# Accounted for elsewhere, and no sign of anything missing.
NOT_COUNTED = ("other_logger", "blank")
ALIKE = (
    "cluster_id", "node_id", "file_id", "load_seq", "log", "logger", "level", "event", "template",
    "not_understood_reason", "controller_id", "controller_epoch",
)  # fmt: skip


# How the columns add up of which two rows that say the same differ.
ADDED = {
    "record_count": pl.Expr.sum,
    "first_at": pl.Expr.min,
    "last_at": pl.Expr.max,
    "first_offset": pl.Expr.min,
    "last_offset": pl.Expr.max,
    "end_offset": pl.Expr.max,
}


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """Rows: few per segment and hour, whatever its size.

    Signs are told apart field by field, on records of the events that have the field: a look into all maps for all
    fields takes five times as long.
    """
    is_counted = ~col("not_understood_reason").is_in(NOT_COUNTED).fill_null(value=False)
    records = (
        log_record.select(*ALIKE, "logged_at", "byte_offset", "byte_length", "fields")
        .filter(is_counted)
        .with_row_index("record")
    )
    shown = list(signs_shown(records))
    return (
        records.with_columns(*shown, is_start=is_process_start())
        .with_columns(
            seen_at=when("is_start")
            .then("logged_at")
            .when(is_of_its_term())
            .then(col("logged_at").dt.truncate("1m"))
            .otherwise(col("logged_at").dt.truncate("1h"))
        )
        .group_by(*ALIKE, "seen_at", "is_start", *(one.name for one in shown))
        .agg(
            record_count=pl.len().cast(pl.Int64),
            first_at=col("logged_at").min(),
            last_at=col("logged_at").max(),
            first_offset=col("byte_offset").min(),
            last_offset=col("byte_offset").max(),
            end_offset=(col("byte_offset") + col("byte_length")).max(),
        )
        .with_columns(signs=list_without_nulls([one.name for one in shown]))
        .select(SPEC.columns)
    )


def merge_partial_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Of the rows that parts of the records gave those that all records give."""
    alike = [name for name in SPEC.columns if name not in ADDED]
    added = [add(col(name)) for name, add in ADDED.items()]
    return rows.group_by(alike).agg(added).select(SPEC.columns)


def of_files(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows as if each file had been read at once: of an hour that several segments share the rows of all of them
    add up. Kernels take these, so that nothing rests on when a night cut a file; load_seq is that of the first."""
    hour = ("file_id", "seen_at")
    is_cut = col("load_seq").n_unique().over(hour) > 1
    cut = rows.filter(is_cut).with_columns(col("load_seq").min().over(hour))
    return rows if cut.is_empty() else pl.concat([rows.filter(~is_cut), merge_partial_rows(cut)])


def is_of_its_term() -> pl.Expr:
    """True if a controller's own node names it with an epoch: the last of such lines ends the term, also where another
    life of the cluster uses the numbers again within the hour."""
    is_own = col("node_id") == col("controller_id")
    return (is_own & col("controller_epoch").is_not_null()).fill_null(value=False)


def is_process_start() -> pl.Expr:
    """A line of pipeline/kafka/wording/process_starts.tsv."""
    starts = (
        (col("logger") == row["logger"]) & col("template").str.contains(row["template"])
        for row in read_fact_table("wording/process_starts.tsv")
    )
    return reduce(or_, starts).fill_null(value=False)


def signs_shown(records: pl.DataFrame) -> Iterator[pl.Series]:
    """A column for each field of which some record shows a sign: the sign, null where the record shows none.

    records: numbered in the column `record` from 0.
    """
    for field, some in groupby(sorted(read_release_signs(), key=by_field), key=by_field):
        found = first_signs(records, field, list(some)).drop_nulls()
        if len(found):
            column = pl.Series(f"sign_{field}", [None], found.schema["sign"]).extend_constant(
                None, len(records) - 1
            )
            yield column.scatter(found["record"], found["sign"])


def by_field(sign: Sign) -> str:
    return sign.field


def first_signs(records: pl.DataFrame, field: str, some: Sequence[Sign]) -> pl.DataFrame:
    """(record, sign): of records of the events that the signs of the field are about the first sign, or null."""
    named = {sign.event for sign in some}
    events = events_with(field) if "" in named else sorted(named)
    text = col(LEVEL) if field == LEVEL else col("fields").map.get(field)
    return (
        records.filter(col("event").is_in(events))
        .select("record", "event", text=text)
        .select("record", sign=pl.coalesce(sign_of(some)).cast(pl.Enum([sign.name for sign in some])))
    )


def sign_of(some: Iterable[Sign]) -> Iterator[pl.Expr]:
    """The name of each sign where the record shows it, else null."""
    for sign in some:
        holds = has_sign_pattern(col("text"), sign.pattern)
        is_its_own = col("event") == sign.event
        yield when(is_its_own & holds if sign.event else holds).then(lit(sign.name))


def has_sign_pattern(text: pl.Expr, pattern: str) -> pl.Expr:
    """True if the text has the pattern of a sign."""
    if pattern.startswith("/"):
        return text.str.contains(pattern.strip("/"))
    beginning, *pieces = pattern.split("…")
    conditions = [text.str.contains(piece, literal=True) for piece in pieces]
    return reduce(and_, [text.str.starts_with(beginning), *conditions] if beginning else conditions)


def list_without_nulls(columns: Sequence[str]) -> pl.Expr:
    """The values of the columns, in their order, that are not null."""
    if not columns:
        return lit([], pl.List(pl.String))
    return pl.concat_list(col(columns).cast(pl.String)).list.drop_nulls()


INCREMENTAL = Incremental(is_taken_whole=True, merged=merge_partial_rows, taken=of_files)
