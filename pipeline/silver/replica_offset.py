"""Ends of the logs of partitions, from bronze.log_record."""

import polars as pl
from polars import col, when

from pipeline.model.lines.families import family_records, printed_field
from pipeline.model.lines.texts import LONG, number_in_text
from schemas.silver.replica_offset import SPEC

NAMED = ("topic", "partition", "broker_id", "log_end_offset")
HIGHEST = 2**63 - 1


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line.

    Source: Partition.makeLeader, makeFollower from 2.6 (a follower truncates its log only after that); Log and
    Log.truncateTo, 0.8.1 to 3.0, whose lines do not say which broker prints them: that of the file.
    """
    is_named = pl.all_horizontal(col(NAMED).is_not_null())
    has_epoch = col("leader_epoch").is_not_null() | ~col("step").is_in(["leads", "follows"])
    return (
        family_records(log_record, "replica_offset")
        .with_columns(log_end_offset=log_end_offset(), broker_id=pl.coalesce("broker_id", "node_id"))
        .filter(is_named, has_epoch)
        .select(SPEC.columns)
    )


def log_end_offset() -> pl.Expr:
    step = col("step")
    largest = offset_field("largest_offset")
    return (
        when(step == "loaded").then(offset_field("log_end_offset"))
        .when(step == "cut").then(offset_field("target_offset"))
        .when(step == "kept").then(when(largest < HIGHEST).then(largest + 1))
        .otherwise(offset_field("start_offset"))
    )  # fmt: skip


def offset_field(name: str) -> pl.Expr:
    return number_in_text(printed_field(name), LONG)
