"""Removals of topics in KRaft mode that only a process prints that starts, and replays all there was."""

import polars as pl
from polars import col

from pipeline.model.terms.kraft_terms import LINE

ID = ("cluster_id", "topic_id")
APART = pl.duration(seconds=3)  # two nodes print one record so far apart
REPLAYS = pl.duration(seconds=10)  # how long a process that starts prints what was before


def replayed_removals(removed: pl.DataFrame, born: pl.DataFrame) -> pl.DataFrame:
    """(ID): topics whose first line of their removal is of a node that printed their record just before, long after
    others did: when they were removed no line tells, but before that. removed, born: lines (ID, node_id, at, LINE;
    is_decided: by the controller in office)."""
    first = removed.sort("at", *LINE).unique(ID, keep="first", maintain_order=True)
    began = born.group_by(ID).agg(first_at=col("at").min())
    again = born.select(*ID, "node_id", again_at="at").sort("again_at")
    is_replay = (col("again_at") > col("first_at") + APART) & (col("at") - col("again_at") <= REPLAYS)
    return (
        first.filter(~col("is_decided"))
        .sort("at")
        .join_asof(
            again,
            left_on="at",
            right_on="again_at",
            by=[*ID, "node_id"],
            coalesce=False,
            check_sortedness=False,
        )
        .join(began, on=list(ID))
        .filter(is_replay.fill_null(value=False))
        .select(ID)
    )
