"""Terms that no line names, and terms whose election no line tells, in ZooKeeper mode."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import known_lines
from pipeline.model.lines.log_holes import log_holes

IN_ZOOKEEPER = col("mode") == "zookeeper"


def missing_terms(term: pl.DataFrame) -> pl.DataFrame:
    """Epochs left out between two of one life: each election of a ZooKeeper controller adds one. Not so in KRaft."""
    before = col("controller_epoch", "first_seen_at", "last_seen_at", "file_id", "byte_offset").shift(1)
    first_epoch, last_epoch = col("before_controller_epoch") + 1, col("controller_epoch") - 1
    is_in_turn = col("before_first_seen_at") <= col("first_seen_at")
    return (
        term.filter(IN_ZOOKEEPER)
        .sort("controller_epoch")
        .with_columns(before.over("cluster_id", "life").name.prefix("before_"))
        .filter((first_epoch <= last_epoch) & is_in_turn)
        .select(
            "cluster_id",
            from_at=pl.min_horizontal("before_last_seen_at", "first_seen_at"),
            until_at="first_seen_at",
            kind=lit("term_missing"),
            certainty=lit("proved"),
            sentence=pl.format("no line of the controller with epoch {} to {}", first_epoch, last_epoch),
            evidence=known_lines(("before_file_id", "before_byte_offset"), ("file_id", "byte_offset")),
        )
    )


def missing_elections(term: pl.DataFrame) -> pl.DataFrame:
    """Not of KRaft controllers, which in a migration claim an epoch of ZooKeeper's without a line."""
    claimants = term.filter(col("mode") == "kraft").select("cluster_id", "controller_id")
    is_first = pl.int_range(pl.len()).over("cluster_id") == 0
    kind = when("is_first").then(lit("begins_inside_term")).otherwise(lit("election_missing"))
    sentence = "epoch {} is named, its election is not: controller.log of then is missing"
    return (
        term.sort("first_seen_at", "life", "controller_epoch")
        .with_columns(is_first=is_first)
        .filter(IN_ZOOKEEPER & col("elected_at").is_null())
        .join(claimants, on=["cluster_id", "controller_id"], how="anti")
        .select(
            "cluster_id",
            node_id="controller_id",
            log=lit("controller"),
            until_at="first_seen_at",
            kind=kind,
            certainty=lit("proved"),
            sentence=pl.format(sentence, "controller_epoch"),
            evidence=known_lines(("file_id", "byte_offset")),
        )
    )


def missing_days(term: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """Holes of a day or more in all logs within a term of ZooKeeper mode, or before the first line of one whose
    election is not read: the cluster was up. What a controller learned meanwhile no line tells. Evidence: the first
    line of that term."""
    in_turn = term.filter(IN_ZOOKEEPER)
    until_at = col("hole_until_at")
    is_within = (col("first_seen_at") < until_at) & (col("last_seen_at") >= until_at)
    is_unseen = (col("first_seen_at") >= until_at) & col("elected_at").is_null()
    is_first_behind = (
        col("first_seen_at") == col("first_seen_at").filter(col("first_seen_at") >= until_at).min()
    )
    hole = ("cluster_id", "hole_from_at", "hole_until_at")
    return (
        log_holes(wording_seen)
        .join(in_turn, on="cluster_id")
        .filter(is_within | (is_unseen & is_first_behind.over(hole).fill_null(value=False)))
        .sort("first_seen_at", "file_id", "byte_offset")
        .unique(hole, keep="first", maintain_order=True)
        .select(
            "cluster_id",
            from_at="hole_from_at",
            until_at="hole_until_at",
            kind=lit("days_missing"),
            certainty=lit("inferred"),
            sentence=lit("no file has lines of this time, in which there was a controller in office"),
            evidence=known_lines(("file_id", "byte_offset")),
        )
    )
