"""The moves that Kafka's statements are held against, with the machine of their term."""

import polars as pl
from polars import col

from pipeline.model.partitions.carried_states import carried_moves

TERM = ("cluster_id", "term_id")


def machines_of_terms(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, term_id, is_trace_seen, replica_machine)."""
    return term.select(*TERM, "is_trace_seen", "replica_machine")


def moves_of_terms(transition_audit: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Moves with day_at and what terms say of them; without those of no term."""
    return transition_audit.with_columns(day_at=col("ordered_at").dt.truncate("1d")).join(
        terms, on=TERM, how="inner"
    )


def earlier_moves(summary_before: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """The moves of the days before, as carried_moves() has them."""
    return carried_moves(summary_before).join(terms, on=TERM, how="inner")
