"""Controllers that lines give one epoch of one life of the metadata, of which one alone can have had it."""

import polars as pl
from polars import col

from pipeline.model.terms.elections import OWN

TERM = ("cluster_id", "term_id")


def without_rival_claims(claims: pl.DataFrame) -> pl.DataFrame:
    """Of several controllers that lines give one epoch of one life, the elected one, else the first one seen; one that
    no line gives it comes last."""
    is_untold = ~col("is_epoch_told").fill_null(value=True)
    return claims.sort(is_untold, col("elected_at").is_null(), "first_seen_at", "controller_id").unique(
        TERM, keep="first", maintain_order=True
    )


def with_rival_life(terms: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """Terms with unproved_from_at also in ZooKeeper mode: the first line in which another node says itself that it is
    controller with an epoch that another one had. Then a later life of the metadata has begun, whose elections are not
    read: the term of that time is over. claims: terms (without_rival_claims), each with its rivals.
    """
    in_zookeeper = claims.filter(col("mode") == "zookeeper")
    rivals = in_zookeeper.join(terms, on=OWN, how="anti").filter(col("told_from_at").is_not_null())
    begun = terms.filter(col("mode") == "zookeeper").select(*TERM, begun_at="first_seen_at").sort("begun_at")
    over = (
        rivals.select("cluster_id", rival_at="told_from_at")
        .sort("rival_at")
        .join_asof(begun, left_on="rival_at", right_on="begun_at", by="cluster_id", check_sortedness=False)
        .filter(col("term_id").is_not_null())
        .group_by(TERM)
        .agg(col("rival_at").min())
    )
    return (
        terms.join(over, on=TERM, how="left")
        .with_columns(unproved_from_at=pl.min_horizontal("unproved_from_at", "rival_at"))
        .drop("rival_at")
    )
