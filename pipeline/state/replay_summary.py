"""Chunks of the replay: what each day of a term leaves to the days after it, object by object."""

import polars as pl
from polars import col

from pipeline.model.partitions.carried_states import OBJECT


def build(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """One row per object, term and day, of the moves that belong to a term."""
    is_done, is_trace = col("outcome") == "done", col("level") == "TRACE"
    return (
        transition_audit.filter(col("term_id").is_not_null())
        .sort("seq")
        .group_by(*OBJECT, day_at=col("ordered_at").dt.truncate("1d"))
        .agg(
            col("file_id", "byte_offset").filter(is_done).last(),
            last_to=col("to_state").filter(is_done).last(),
            last_seq=col("seq").filter(is_done).last(),
            end_seq=col("seq").max(),
            first_trace_seq=col("seq").filter(is_trace).min(),
            last_trace_seq=col("seq").filter(is_trace).max(),
        )
    )
