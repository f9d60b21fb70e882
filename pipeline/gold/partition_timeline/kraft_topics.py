"""The lives of topics in KRaft mode: which number each has among those of its name, and what ended it."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.core.stretches import FAR, TIME
from pipeline.model.partitions.replayed_removals import replayed_removals
from pipeline.model.terms.kraft_terms import with_kraft_term

REMOVED, WIPED, REPLACED = "topic_removed", "controller_active", "partition_created"
TOPIC = ("cluster_id", "topic", "topic_id")
NAME = ("cluster_id", "topic")


def kraft_topics(
    printed: pl.DataFrame,
    lines: pl.DataFrame,
    before: pl.DataFrame,
    terms: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """(cluster_id, topic_id, topic_life, gone_at, gone_by) of each topic: the life of the metadata in which it was
    seen first, and one more for each topic of that name that was removed before. terms: of kraft_terms. is_gone_before:
    it was removed at any time before gone_at (replayed_removals).

    A name has one topic at a time: another of that name ends it, be it that no line tells of its removal, or that its
    record was never committed (a controller prints what it replays before a majority has it).
    """
    first = terms.group_by("cluster_id").agg(first_life=col("life").min())
    known = known_topics(before, span)
    seen = (
        pl.concat([printed.select(*TOPIC, "at"), known.select(*TOPIC, "at")])
        .group_by(TOPIC)
        .agg(col("at").min())
        .join(known.drop("at"), on=TOPIC, how="left")
        .join(topic_removals(lines), on=TOPIC, how="left")
        .with_columns(
            removed_at=pl.coalesce("ended_at", "removed_at"), removed_by=pl.coalesce("ended_by", "removed_by")
        )
        .pipe(with_kraft_term, terms)
        .join(first, on="cluster_id", how="left")
        .with_columns(life=pl.coalesce("life", "first_life", 1))
    )
    steps = (lines.filter(col("step") == step) for step in ("removed", "created"))
    replayed = replayed_removals(*steps).with_columns(is_gone_before=lit(value=True))
    found = seen.pipe(with_wiped, terms).pipe(number_topic_lives)
    is_removed = (col("gone_by") == REMOVED) & col("is_gone_before")
    return found.join(replayed, on=["cluster_id", "topic_id"], how="left").with_columns(
        is_gone_before=is_removed.fill_null(value=False)
    )


def known_topics(before: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Topics of rows of gold.partition_timeline: (TOPIC, at, known_life, ended_at, ended_by).

    What ended an interval ended its topic if no interval of that goes on afterwards: a line may state the creation of a
    partition of which a state is known already. Ends in the span are told anew.
    """
    until_at = col("valid_until_at").fill_null(lit(FAR, TIME))
    is_last = (until_at == until_at.max()) & span.before(until_at)
    is_end = col("ended_by").is_in([REMOVED, WIPED, REPLACED]) & is_last
    return (
        before.sort("valid_until_at", "ended_by")
        .group_by(TOPIC)
        .agg(
            at=col("valid_from_at").min(),
            known_life=col("topic_life").min(),
            ended_at=col("valid_until_at").filter(is_end).first(),
            ended_by=col("ended_by").filter(is_end).first(),
        )
    )


def topic_removals(lines: pl.DataFrame) -> pl.DataFrame:
    removed = lines.filter(col("step") == "removed")
    return removed.group_by(TOPIC).agg(removed_at=col("at").min(), removed_by=lit(REMOVED))


def with_wiped(topics: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """wiped_at: when the first term of a later life of the metadata began; null: none."""
    begun = terms.group_by("cluster_id", later_life="life").agg(wiped_at=col("from_at").min())
    wiped = (
        topics.select(*TOPIC, "life")
        .join(begun, on="cluster_id")
        .filter(col("later_life") > col("life"))
        .group_by(TOPIC)
        .agg(col("wiped_at").min())
    )
    return topics.join(wiped, on=TOPIC, how="left")


def number_topic_lives(topics: pl.DataFrame) -> pl.DataFrame:
    """Topics with their number among those of the name, and their end: removed, wiped with the life, or replaced."""
    is_replaced = (col("life").shift(-1).over(NAME) == col("life")).fill_null(value=False)
    is_gone = (col("removed_at").is_not_null() | is_replaced).cast(pl.Int32)
    counted = col("life") + is_gone.cum_sum().over(NAME) - is_gone
    gone_at, replaced_at = col("gone_at"), col("at").shift(-1).over(NAME)
    is_replaced_first = (replaced_at < gone_at).fill_null(replaced_at.is_not_null())
    is_wiped_first = (col("wiped_at") <= col("removed_at")).fill_null(col("wiped_at").is_not_null())
    return (
        topics.sort(*NAME, "at", "topic_id")
        .with_columns(
            topic_life=pl.coalesce("known_life", counted),
            gone_at=pl.min_horizontal("removed_at", "wiped_at"),
            gone_by=when(is_wiped_first).then(lit(WIPED)).otherwise("removed_by"),
        )
        .select(
            "cluster_id",
            "topic_id",
            "topic_life",
            gone_at=when(is_replaced_first).then(replaced_at).otherwise(gone_at),
            gone_by=when(is_replaced_first).then(lit(REPLACED)).otherwise("gone_by"),
        )
    )
