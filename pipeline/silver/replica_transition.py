"""Moves of replicas, from bronze.log_record."""

import polars as pl
from polars import col

from pipeline.model.lines.families import family_records
from pipeline.model.lines.texts import records_of_moves
from schemas.silver.replica_transition import SPEC


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line that moves a replica, or fails to; a line gives none or one row.

    Source: Kafka ReplicaStateMachine, 0.8.1 to 3.9.
    """
    is_named = col("topic").is_not_null() & col("replica_id").is_not_null()
    return (
        family_records(log_record, "replica_transition")
        .filter(is_named)
        .pipe(records_of_moves)
        .select(SPEC.columns)
    )
