"""KRaft terms that no line proves to go on after a stretch of time of which no log is there."""

import polars as pl
from polars import col

from pipeline.model.lines.log_holes import log_holes

TERM = ("cluster_id", "term_id")
KRAFT_LOGGERS = "org.apache.kafka.controller."


def with_holes(terms: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """Terms with unproved_from_at: KRaft: the first line after a day or more of which no file of a node of the quorum
    has lines, while the term went on as far as lines tell.

    Other terms may have come and gone meanwhile, and the same controller may have been elected once more: what it
    prints in office names no epoch. What a process that starts says of the quorum may be what it had stored.
    Source: QuorumController, from 2.8.
    """
    in_turn = (
        terms.filter(col("mode") == "kraft")
        .select(*TERM, "controller_epoch", begun_at="first_seen_at")
        .sort("cluster_id", "begun_at", "controller_epoch")
        .with_columns(next_at=col("begun_at").shift(-1).over("cluster_id"))
    )
    is_before_next = (col("hole_until_at") <= col("next_at")).fill_null(value=True)
    found = (
        in_turn.join(quorum_log_holes(wording_seen), on="cluster_id")
        .filter(col("hole_from_at") >= col("begun_at"), is_before_next)
        .group_by(TERM)
        .agg(unproved_from_at=col("hole_until_at").min())
    )
    return terms.join(found, on=TERM, how="left")


def quorum_log_holes(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """log_holes of the nodes of a quorum."""
    is_of_quorum = col("logger").str.starts_with(KRAFT_LOGGERS).fill_null(value=False)
    node = ("cluster_id", "node_id")
    quorum = wording_seen.filter(is_of_quorum).select(node).unique()
    return log_holes(wording_seen.join(quorum, on=node, how="semi", nulls_equal=True))
