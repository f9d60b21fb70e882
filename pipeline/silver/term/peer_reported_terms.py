"""Terms of KRaft controllers whose own logs are missing, by what other controllers heard of the quorum."""

import polars as pl
from polars import col, lit, when

OWN = ("cluster_id", "controller_id", "controller_epoch")
LINE = ("file_id", "byte_offset")
NOT_SEEN = ("elected_at", "told_from_at", "told_until_at")
TIME = pl.Datetime("us", "UTC")


def peer_reported_terms(
    controller_event: pl.DataFrame, elected: pl.DataFrame, lives_before: pl.DataFrame
) -> pl.DataFrame:
    """One row per leader epoch that another controller says a node leads of which no line was read: columns of
    silver.term; elected: (cluster_id, mode, life, elected_at, ...) of elections that were seen;
    lives_before: (cluster_id, lives_before) in ZooKeeper.

    Of a node whose lines were read it is known when it became active, and that it never did where none says so.
    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 2.8.
    """
    heard = heard_of(controller_event)
    in_kraft = elected.filter(col("mode") == "kraft")
    lives = in_kraft.group_by("cluster_id", "life").agg(from_at=col("elected_at").min())
    begun = when(col("from_at") <= col("first_seen_at")).then(col("life")).max()
    first = col("lives_before").max().fill_null(0) + 1
    life = pl.coalesce(begun, col("life").min(), first).cast(pl.Int32)
    return (
        heard.join(lives, on="cluster_id", how="left")
        .join(lives_before, on="cluster_id", how="left")
        .group_by(heard.columns)
        .agg(life=life)
        .with_columns(
            *(lit(None, TIME).alias(name) for name in NOT_SEEN),
            term_id=pl.format("{}-{}", "life", "controller_epoch"),
            mode=lit("kraft"),
            is_trace_seen=lit(value=False),
            certainty=lit("inferred"),
        )
    )


def heard_of(controller_event: pl.DataFrame) -> pl.DataFrame:
    """(OWN, LINE, first_seen_at, last_seen_at) of leader epochs said to be of nodes without lines."""
    writers = controller_event.select("cluster_id", controller_id="node_id")
    is_report = (
        (col("step") == "observed")
        & col("active_controller_id").is_not_null()
        & col("controller_epoch").is_not_null()
    )
    return (
        controller_event.filter(is_report)
        .with_columns(controller_id="active_controller_id")
        .join(writers, on=OWN[:2], how="anti")
        .sort("logged_at", *LINE)
        .group_by(OWN)
        .agg(
            col(LINE).first(),
            first_seen_at=col("logged_at").first(),
            last_seen_at=col("logged_at").last(),
        )
    )
