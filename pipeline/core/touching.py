"""Which stretches of time touch which: pairs of them, found without trying every pair."""

from collections.abc import Sequence

import polars as pl
from polars import col

from pipeline.core.span_join import rows_in_spans


def join_touching_spans(rows: pl.DataFrame, others: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Each row (from_at, until_at) with each other stretch (begin_at, end_at) of the same `by` that it touches.

    until_at, end_at: null where it goes on. One common moment is enough. Both frames' columns; they share the names of
    `by` alone. Of two stretches that touch, one begins within the other.
    """
    begun_within = rows_in_spans(rows, others, by, ("from_at", "until_at"), "begin_at", closed="both")
    begun_before = rows_in_spans(others, rows, by, ("begin_at", "end_at"), "from_at", closed="right")
    pairs = pl.concat([begun_within, begun_before.select(begun_within.columns)])
    return pairs.filter(col("end_at").is_null() | (col("end_at") >= col("from_at")))
