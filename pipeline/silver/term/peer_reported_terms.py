"""Terms of KRaft controllers of which no own line tells, by what other controllers heard of the quorum."""

from datetime import timedelta

import polars as pl
from polars import col, lit

from pipeline.core.made_of import needs_rows_of

OWN = ("cluster_id", "controller_id", "controller_epoch")
OF_LIFE = ("cluster_id", "life", "controller_epoch")
LINE = ("file_id", "byte_offset")
NOT_SEEN = ("elected_at", "told_from_at", "told_until_at")
TIME = pl.Datetime("us", "UTC")
OBSERVED, RENOUNCED = "controller_observed_leader", "renounced"
CLOCKS = timedelta(seconds=10)  # others may hear of a leader before it says itself that it is active


def peer_reported_terms(
    controller_step: pl.DataFrame, elected: pl.DataFrame, lives_before: pl.DataFrame
) -> pl.DataFrame:
    """One row per leader epoch of a life that another controller says a node leads, and of which the node itself says
    nothing: columns of silver.term; elected: (OWN, mode, life, elected_at, ...) of elections that were seen;
    lives_before: (cluster_id, lives_before) in ZooKeeper.

    A node's log speaks only for the epochs that it names: each controller prints every new epoch that it hears of, and
    one whose log names an epoch without a word that it became active never was. It may have won the vote and lost the
    epoch before its controller had read all of the metadata log. Where several nodes write into one file, lines are
    lost, so that silence there says nothing.
    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 3.3.
    """
    in_kraft = elected.filter(col("mode") == "kraft")
    said = (
        controller_step.pipe(with_unshared_files)
        .filter(col("event") == OBSERVED, col("controller_epoch").is_not_null())
        .pipe(with_report_life, in_kraft, lives_before)
    )
    denied = said.filter("has_own_files").select(*OF_LIFE, controller_id="node_id")
    return (
        said.pipe(first_hand)
        .pipe(without_claimed, in_kraft)
        .join(denied, on=[*OF_LIFE, "controller_id"], how="anti")
        .sort("logged_at", *LINE)
        .pipe(of_reports)
    )


@needs_rows_of("reports")
def of_reports(reports: pl.DataFrame) -> pl.DataFrame:
    """One row per term of reports, in their turn: columns of silver.term."""
    return (
        reports.group_by(*OWN, "life", maintain_order=True)
        .agg(
            col(LINE).first(),
            first_seen_at=col("logged_at").first(),
            last_seen_at=col("logged_at").last(),
        )
        .with_columns(
            *(lit(None, TIME).alias(name) for name in NOT_SEEN),
            term_id=pl.format("{}-{}", "life", "controller_epoch"),
            mode=lit("kraft"),
            is_trace_seen=lit(value=False),
            certainty=lit("inferred"),
        )
    )


def renounced_peer_terms(
    controller_step: pl.DataFrame, elected: pl.DataFrame, lives_before: pl.DataFrame
) -> pl.DataFrame:
    """One row per term that is known by the line alone by which its controller renounces, behind an election of that
    life that was seen and before any of a later epoch: nothing else that it did is read.

    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 2.8.
    """
    in_kraft = elected.filter(col("mode") == "kraft")
    said = controller_step.with_columns(controller_id=pl.coalesce("node_id", "controller_id")).filter(
        col("step") == RENOUNCED, pl.all_horizontal(col(OWN).is_not_null())
    )
    seen = in_kraft.select("cluster_id", "life", seen_epoch="controller_epoch", seen_at="elected_at")
    behind = (
        said.pipe(with_report_life, in_kraft, lives_before)
        .join(seen, on=["cluster_id", "life"])
        .filter(col("seen_at") <= col("logged_at"))
        .group_by(*OWN, "life", "logged_at", *LINE)
        .agg(col("seen_epoch").max())
        .filter(col("seen_epoch") < col("controller_epoch"))
    )
    return behind.sort("logged_at", *LINE).drop("seen_epoch").pipe(of_reports)


@needs_rows_of("heard")
def with_report_life(heard: pl.DataFrame, elected: pl.DataFrame, lives_before: pl.DataFrame) -> pl.DataFrame:
    """Reports with the life of the metadata at their time, by the elections seen; before the first one that of it."""
    begun = elected.group_by("cluster_id", "life").agg(from_at=col("elected_at").min())
    first = begun.group_by("cluster_id").agg(first_life=col("life").min())
    after_zookeeper = col("lives_before").fill_null(0) + 1
    return (
        heard.sort("logged_at", *LINE)
        .join_asof(
            begun.sort("from_at"),
            left_on="logged_at",
            right_on="from_at",
            by="cluster_id",
            check_sortedness=False,
        )
        .join(first, on="cluster_id", how="left", maintain_order="left")
        .join(lives_before, on="cluster_id", how="left", maintain_order="left")
        .with_columns(life=pl.coalesce("life", "first_life", after_zookeeper).cast(pl.Int32))
    )


def with_unshared_files(controller_step: pl.DataFrame) -> pl.DataFrame:
    """Adds has_own_files: no other node writes into a file of that node."""
    is_own = col("node_id").n_unique().over("cluster_id", "file_id") == 1
    return controller_step.with_columns(is_own=is_own).with_columns(
        has_own_files=col("is_own").all().over("cluster_id", "node_id")
    )


def first_hand(said: pl.DataFrame) -> pl.DataFrame:
    """Reports that name a leader; not those of an epoch below one that was heard of before: a process that starts says
    first what it had stored of the quorum."""
    epoch = col("controller_epoch")
    newest = epoch.cum_max().over("cluster_id", "life")
    return (
        said.sort("logged_at", *LINE)
        .filter(col("active_controller_id").is_not_null(), epoch == newest)
        .with_columns(controller_id="active_controller_id")
    )


def without_claimed(reports: pl.DataFrame, elected: pl.DataFrame) -> pl.DataFrame:
    """Without reports of a term whose controller says itself that it became active, as of then or before."""
    claims = elected.select(*OWN, claimed_from_at=col("elected_at") - CLOCKS).sort("claimed_from_at")
    return (
        reports.sort("logged_at")
        .join_asof(
            claims, left_on="logged_at", right_on="claimed_from_at", by=list(OWN), check_sortedness=False
        )
        .filter(col("claimed_from_at").is_null())
    )
