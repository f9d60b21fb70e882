"""From when on the ratios of a cluster are not certain, and why."""

from datetime import UTC, datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.terms.succession import unseen_from
from schemas.gold.leader_imbalance import CREATION_UNSEEN

LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)


def with_assignment_doubt(
    counts: pl.DataFrame,
    kraft_ratio_begin: pl.DataFrame,
    term: pl.DataFrame,
    imbalance_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """Adds is_zookeeper (some term of the cluster is), kraft_at: when it went over to KRaft, and doubted_at: from when
    on assignments may be missing, by terms in ZooKeeper mode; null: never.

    In KRaft, whose epochs have gaps, from the first partition on whose creation was not seen: its record has partition
    epoch 0, but one taken over from ZooKeeper. What was so before the span is so since LONG_AGO: all rows that
    reach the span begin after it.
    """
    in_kraft = first_of_kraft(kraft_ratio_begin, imbalance_before, span)
    in_zookeeper = unseen_from(term).with_columns(is_zookeeper=True)
    is_until_kraft = col("kraft_at").is_null() | (col("unseen_at") < col("kraft_at"))
    unseen_at = when(is_until_kraft).then("unseen_at")
    return (
        counts.join(in_kraft, on="cluster_id", how="left")
        .join(in_zookeeper, on="cluster_id", how="left")
        .with_columns(col("is_zookeeper").fill_null(value=False))
        .with_columns(doubted_at=when("is_zookeeper").then(unseen_at).otherwise("unborn_at"))
        .drop("unseen_at", "unborn_at")
    )


def begins_in_kraft(partition_timeline: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(cluster_id, kraft_at, unborn_at) of intervals: the first one in KRaft, and the first one of a partition whose
    creation was not seen."""
    is_unborn = (col("interval_seq") == 1) & (col("partition_epoch") != 0)
    since = since_span(span)
    known = partition_timeline.filter(col("topic_id").is_not_null()).select(
        "cluster_id", kraft_at=since, unborn_at=when(is_unborn).then(since)
    )
    return earliest_by_cluster(known)


def first_of_kraft(
    kraft_ratio_begin: pl.DataFrame, imbalance_before: pl.DataFrame, span: Span
) -> pl.DataFrame:
    """(cluster_id, kraft_at, unborn_at): the first ones of all, and of what rows before the span tell."""
    is_told = col("reason") == CREATION_UNSEEN
    told = imbalance_before.filter(is_told).select("cluster_id", unborn_at=since_span(span))
    return earliest_by_cluster(pl.concat([kraft_ratio_begin, told], how="diagonal"))


def since_span(span: Span) -> pl.Expr:
    """valid_from_at; what was so before the span is so since LONG_AGO."""
    return when(span.since("valid_from_at")).then("valid_from_at").otherwise(lit(LONG_AGO))


def earliest_by_cluster(begins: pl.DataFrame) -> pl.DataFrame:
    return begins.group_by("cluster_id").agg(col("kraft_at", "unborn_at").min())


def with_imbalance_certainty(counts: pl.DataFrame) -> pl.DataFrame:
    """is_in_kraft; undetermined where assignments may be missing, and while the leader of one of the broker's
    partitions is not known."""
    at, is_zookeeper = col("valid_from_at"), col("is_zookeeper")
    is_in_kraft = (at >= col("kraft_at")).fill_null(value=False)
    is_doubted = (at >= col("doubted_at")).fill_null(value=False)
    reason = (
        when(~is_in_kraft & (is_doubted | ~is_zookeeper))
        .then(lit("term_unseen"))
        .when(is_in_kraft & is_doubted & ~is_zookeeper)
        .then(lit(CREATION_UNSEEN))
        .when(col("unsure_count") > 0)
        .then(lit("partition_unknown"))
    )
    certainty = when(col("reason").is_null()).then(lit("inferred")).otherwise(lit("undetermined"))
    return counts.with_columns(is_in_kraft=is_in_kraft, reason=reason).with_columns(certainty=certainty)
