"""Reassignments of which a controller without lines may have told the end."""

import polars as pl
from polars import col

from pipeline.model.terms.kraft_terms import kraft_terms, unseen_of
from pipeline.model.terms.succession import LIFE, unseen_stretches


def with_unseen_term_doubt(found: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Adds is_in_doubt: it goes on as far as lines tell, and after its last line there was a term without any."""
    unseen = pl.concat(
        [
            missing_epochs(term),
            unseen_stretches(term).select("cluster_id", unseen_at="from_at"),
            unseen_of(kraft_terms(term)).select("cluster_id", unseen_at="from_at"),
        ]
    )
    last = unseen.group_by("cluster_id").agg(col("unseen_at").max())
    is_after = (col("unseen_at") >= col("last_at")).fill_null(value=False)
    return (
        found.join(last, on="cluster_id", how="left", maintain_order="left")
        .with_columns(is_in_doubt=(col("outcome") == "in_progress") & is_after)
        .drop("unseen_at")
    )


def missing_epochs(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, unseen_at) of each term of ZooKeeper mode that follows epochs of which none is known: when it
    began, until which they were."""
    in_turn = term.filter(col("mode") == "zookeeper").sort(*LIFE, "controller_epoch")
    is_gap = col("controller_epoch") > col("controller_epoch").shift(1).over(LIFE) + 1
    return in_turn.filter(is_gap).select("cluster_id", unseen_at="first_seen_at")
