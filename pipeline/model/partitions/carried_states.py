"""Carries the states of objects from the days that are judged to the days that are to be judged."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of

OBJECT = ("cluster_id", "term_id", "machine", "topic", "partition", "replica_id")


@needs_rows_of("summary_before")
def carried_moves(summary_before: pl.DataFrame) -> pl.DataFrame:
    """The days before as moves: per object its last one, and its last attempt where one came after it.

    Columns: OBJECT, to_state, outcome, level, seq, file_id, byte_offset (the last two null of attempts). level: TRACE
    from the term's first line at TRACE on, else null: all that is asked of the days before is whether a line at TRACE
    stands there.
    """
    is_move = col("last_to").is_not_null()
    objects = (
        summary_before.sort("last_seq")
        .group_by(*OBJECT)
        .agg(
            col("last_to", "last_seq", "file_id", "byte_offset").filter(is_move).last(),
            col("end_seq").max(),
            col("first_trace_seq").min(),
        )
        .with_columns(col("first_trace_seq").min().over("cluster_id", "term_id"))
    )
    moves = objects.filter(col("last_seq").is_not_null()).select(
        *(*OBJECT, "first_trace_seq", "file_id", "byte_offset"),
        to_state="last_to", outcome=lit("done"), seq="last_seq",
    )  # fmt: skip
    attempts = objects.filter(col("end_seq").ne_missing(col("last_seq"))).select(
        *(*OBJECT, "first_trace_seq"), outcome=lit("failed"), seq="end_seq"
    )
    is_traced = col("seq") >= col("first_trace_seq")
    return (
        pl.concat([moves, attempts], how="diagonal")
        .with_columns(level=when(is_traced).then(lit("TRACE")))
        .drop("first_trace_seq")
    )
