"""Each broker's leader imbalance ratio over time, exactly by Kafka's rule, from the partition timeline."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of
from pipeline.core.span import Span
from pipeline.core.stretches import split_spans
from pipeline.gold.leader_imbalance.certainty import (
    begins_in_kraft,
    with_assignment_doubt,
    with_imbalance_certainty,
)
from pipeline.gold.leader_imbalance.counting import (
    BROKER,
    added_by_moment,
    imbalance_changes,
    of_each_broker,
    running_counts,
)
from pipeline.model.brokers.balancing import changed_at, with_balancing_settings
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.settings import BalancingSetting
from schemas.gold.leader_imbalance import SPEC

NO_TIMES = lit([], pl.List(pl.Datetime("us", "UTC")))


def preferred_leader_change(partition_timeline: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(BROKER, at, PLACE, LINE, SUMMED): what the partitions add to the counts of each broker at each moment of an
    event, put together, with the last line of that moment."""
    return added_by_moment(imbalance_changes(whole_intervals(partition_timeline), span))


def kraft_ratio_begin(partition_timeline: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(cluster_id, kraft_at, unborn_at): rows of begins_in_kraft()."""
    return begins_in_kraft(whole_intervals(partition_timeline), span)


PARTIALS = (preferred_leader_change, kraft_ratio_begin)


@made_of(SPEC, "preferred_leader_change", "imbalance_before")
def build(
    preferred_leader_change: pl.DataFrame,
    kraft_ratio_begin: pl.DataFrame,
    term: pl.DataFrame,
    balancing_setting: BalancingSetting,
    broker_setting: pl.DataFrame,
    imbalance_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per interval of one broker in which its two counts did not change, nor its limit, nor whether they are
    known: those that reach the span, which begins with a day.

    preferred_leader_change: of what is open as the span begins or ends later: enough to count what was so before it.
    imbalance_before: rows of this table that begin before the span and reach it, and one of those that ended before
    it for the reason CREATION_UNSEEN.
    balancing_setting: what conf and given files say; broker_setting: what brokers print (see model.brokers.balancing).
    Rule: partitions with an assignment whose topic is not queued for deletion, grouped by the head of the
    assignment; of them those with a known leader that is not the head; breach when ratio > threshold, strictly.
    Cost: two changes per interval of the timeline, added up by moment, sorted once by broker and summed.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9. A KRaft controller computes no ratio, but
    a set of the same partitions: PartitionRegistration.hasPreferredLeader, from 3.2.
    """
    return (
        of_each_broker(preferred_leader_change)
        .pipe(running_counts)
        .pipe(with_begins, imbalance_before, span)
        .pipe(with_assignment_doubt, kraft_ratio_begin, term, imbalance_before, span)
        .pipe(in_pieces, broker_setting)
        .pipe(with_imbalance_certainty)
        .pipe(with_balancing_settings, "broker_id", balancing_setting, broker_setting, at="valid_from_at")
        .pipe(with_threshold)
    )


def with_begins(counts: pl.DataFrame, imbalance_before: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Begin and line of what was so before the span, from the rows that say so."""
    if span.is_all:
        return counts
    open_ones = imbalance_before.filter(span.reached_by("valid_until_at")).select(
        *BROKER, open_from_at="valid_from_at", open_evidence="evidence"
    )
    is_before = span.before("valid_from_at")
    return (
        counts.join(open_ones, on=BROKER, how="left")
        .with_columns(
            valid_from_at=when(is_before).then("open_from_at").otherwise("valid_from_at"),
            evidence=when(is_before).then("open_evidence").otherwise("evidence"),
        )
        .drop("open_from_at", "open_evidence")
    )


def in_pieces(counts: pl.DataFrame, broker_setting: pl.DataFrame) -> pl.DataFrame:
    """Intervals divided where the mode changes, or whether they are known, or what the broker prints of its limits."""
    limited = counts.join(changed_at(broker_setting, "broker_id"), on=BROKER, how="left")
    of_limits = pl.coalesce("limits_changed_at", NO_TIMES)
    return split_spans(limited, pl.concat_list("kraft_at", "doubted_at", of_limits))


def with_threshold(counts: pl.DataFrame) -> pl.DataFrame:
    """KRaft controllers never read leader.imbalance.per.broker.percentage: no threshold and no breach there."""
    is_read = col("is_zookeeper") & ~col("is_in_kraft")
    return counts.with_columns(when(is_read).then(col("threshold_ratio", "limit_source"))).with_columns(
        is_breach=col("imbalance_ratio") > col("threshold_ratio")
    )
