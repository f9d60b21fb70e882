"""KRaft terms that no line proves to go on after a stretch of time of which no log is there."""

from datetime import timedelta

import polars as pl
from polars import col, when

TERM = ("cluster_id", "term_id")
FILE = ("cluster_id", "file_id")
KRAFT_LOGGERS = "org.apache.kafka.controller."
LEAST = timedelta(days=1)  # of a day that is missing; releases before 3.7 may print nothing for a night


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
    """(cluster_id, hole_from_at, hole_until_at): from the last line of the nodes of a quorum to the next one, a day or
    more later, in another file. A process appends to its file: within one a node that is silent had nothing to say."""
    is_of_quorum = col("logger").str.starts_with(KRAFT_LOGGERS).fill_null(value=False)
    node = ("cluster_id", "node_id")
    quorum = wording_seen.filter(is_of_quorum).select(node).unique()
    files = (
        wording_seen.join(quorum, on=node, how="semi", nulls_equal=True)
        .group_by(FILE)
        .agg(from_at=col("first_at").min(), until_at=col("last_at").max())
        .drop_nulls()
        .sort("cluster_id", "from_at", "file_id")
    )
    last_at = col("until_at").cum_max().shift(1).over("cluster_id")
    return (
        files.with_columns(hole_from_at=when(col("from_at") - last_at >= LEAST).then(last_at))
        .filter(col("hole_from_at").is_not_null())
        .select("cluster_id", "hole_from_at", hole_until_at="from_at")
    )
