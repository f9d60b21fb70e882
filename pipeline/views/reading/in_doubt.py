"""Of rows that hold at a time those that nobody knows for certain: they are counted apart, and never as 0."""

from collections.abc import Sequence

import polars as pl
from polars import col

from pipeline.views.reading.rows import Row

UNDETERMINED = "undetermined"


def is_in_doubt(row: Row) -> bool:
    return bool(row["certainty"] == UNDETERMINED)


def is_service_unknown() -> pl.Expr:
    """Of a partition of the timeline whether somebody serves it; nobody asks it of one that is being deleted."""
    is_there = ~col("is_deleting").fill_null(value=False)
    return is_there & ((col("certainty") == UNDETERMINED) | col("is_served").is_null())


def doubted_leaders(held: pl.DataFrame) -> set[int] | None:
    """Brokers that may lead a partition whose leader is not known, by its replicas; None: any broker may."""
    is_doubted = (col("certainty") == UNDETERMINED) | col("leader").is_null()
    doubted = held.filter(is_doubted, ~col("is_deleting").fill_null(value=False))
    are_told = ~col("is_assignment_stale").fill_null(value=False) & (col("certainty") != UNDETERMINED)
    if doubted.filter(col("replicas").is_null() | ~are_told).height:
        return None
    return set(doubted["replicas"].explode().to_list())


def with_known_ratios(rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Rows of gold.leader_imbalance. These columns are null where lines are missing and no other leader is known: what
    is 0 by the lines that were read can be any number."""
    is_unknown = (col("certainty") == UNDETERMINED) & (col("led_elsewhere_count") == 0)
    return rows.with_columns(pl.when(~is_unknown.fill_null(value=False)).then(col(names)))
