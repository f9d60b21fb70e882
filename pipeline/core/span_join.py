"""Spans of time with the rows that lie in them: the work grows with what is found, not with spans times rows."""

from collections.abc import Sequence
from typing import Literal

import polars as pl
from polars import col

Closed = Literal["left", "right", "both"]


def rows_in_spans(
    spans: pl.DataFrame,
    rows: pl.DataFrame,
    by: Sequence[str],
    between: tuple[str, str],
    at: str,
    *,
    closed: Closed,
) -> pl.DataFrame:
    """Each span with each row of the same `by` whose time `at` is between its begin and its end (null: no end).

    closed: which of the two belong to the span. Both frames' columns; they share the names of `by` alone.
    """
    if spans.is_empty() or rows.is_empty():
        return spans.clear().hstack(rows.clear().drop(by))
    begin, end = between
    ordered = rows.filter(col(at).is_not_null()).sort(*by, at).with_row_index("_row")
    size = ordered.group_by(by).agg(_after_last=col("_row").max() + 1)
    found = spans.join(size, on=by, how="inner")
    found = with_first_row(found, ordered, by, begin, at, is_exact=closed != "right").rename(
        {"_row": "_first"}
    )
    found = with_first_row(found, ordered, by, end, at, is_exact=closed == "left")
    until = pl.coalesce("_row", "_after_last")
    pairs = (
        found.filter(col(begin).is_not_null())
        .with_columns(_row=pl.int_ranges("_first", until, dtype=pl.UInt32))
        .drop("_first", "_after_last")
        .explode("_row")
        .drop_nulls("_row")
    )
    return pairs.drop("_row").hstack(ordered.drop("_row", *by)[pairs["_row"]])


def with_first_row(
    spans: pl.DataFrame, ordered: pl.DataFrame, by: Sequence[str], moment: str, at: str, *, is_exact: bool
) -> pl.DataFrame:
    """_row: the first one of the group at that moment or later (is_exact), or only later; null: none."""
    return (
        spans.sort(*by, moment)
        .join_asof(
            ordered.select(*by, "_row", _at=at),
            left_on=moment,
            right_on="_at",
            by=by,
            strategy="forward",
            allow_exact_matches=is_exact,
            coalesce=False,
            check_sortedness=False,
        )
        .drop("_at")
    )
