"""Breaches of the limit of leader imbalance: how long each lasted, what Kafka did about it, and why not more."""

import polars as pl
import pyarrow as pa
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import Incremental
from pipeline.core.made_of import made_of, needs_rows_of
from pipeline.core.stretches import milliseconds_between
from pipeline.gold.imbalance_breach.episodes import BREACH, BROKER, breach_episodes
from pipeline.gold.imbalance_breach.parts import merge_touching_spans, span_parts_in_breaches
from pipeline.gold.imbalance_breach.reasons import with_checks, with_why
from pipeline.gold.imbalance_breach.reassigning import reassignment_spans
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.statements import PARTITION
from pipeline.model.settings import AuditLimit
from schemas.gold.imbalance_breach import SPEC

ELSEWHERE = pa.schema(
    [
        *(SPEC.arrow.field(name) for name in BREACH),
        ("is_able", pa.bool_()),
        *((name, SPEC.arrow.field("breached_at").type) for name in ("from_at", "until_at")),
        SPEC.arrow.field("evidence"),
    ]
)


@made_of(ELSEWHERE, "leader_imbalance")
def led_elsewhere_stretch(
    leader_imbalance: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    broker_session: pl.DataFrame,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """(BREACH, is_able, from_at, until_at, evidence) of breaches, while the broker was live: the longest stretch in
    which it could have led one of the partitions, with the line that says so; and, is_able false and without a line,
    stretches in which it is not known of some partition who was in the ISR."""
    found = breach_episodes(leader_imbalance, data_end)
    if found.is_empty():
        return empty_frame(ELSEWHERE)
    live = live_in_breaches(found, broker_session)
    elsewhere = led_elsewhere(whole_intervals(partition_timeline))
    able = span_parts_in_breaches(live, elsewhere.filter("is_able"), PARTITION[1:], "evidence")
    stale = span_parts_in_breaches(live, elsewhere.filter("is_stale"))
    both = [
        longest_of_each(able).with_columns(is_able=lit(value=True)),
        stale.with_columns(is_able=lit(value=False)),
    ]
    return pl.concat(both, how="diagonal").select(ELSEWHERE.names)


def reassigning_stretch(reassignment: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, from_at, until_at; null: still at the end): stretches in which some partition was reassigned."""
    return merge_touching_spans(reassignment_spans(reassignment), ("cluster_id",))


PARTIALS = (led_elsewhere_stretch, reassigning_stretch)


@made_of(SPEC, "leader_imbalance")
def build(
    leader_imbalance: pl.DataFrame,
    imbalance_check: pl.DataFrame,
    led_elsewhere_stretch: pl.DataFrame,
    reassigning_stretch: pl.DataFrame,
    broker_session: pl.DataFrame,
    audit_limit: AuditLimit,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """One row per breach: intervals of gold.leader_imbalance over the limit that follow one another.

    What is given are rows that reach the begin of the first breach that counts, and all of broker_session. data_end:
    (cluster_id, until_at), where open breaches are cut.
    A broker is able to lead where it is live (as far as any list of live brokers has it) and in the ISR, as last
    stated, of a partition that another one leads.
    """
    found = breach_episodes(leader_imbalance, data_end)
    moving = merge_touching_spans(reassigning_stretch, ("cluster_id",))
    of_each = found.select(BROKER).unique().join(moving, on="cluster_id")
    live = live_in_breaches(found, broker_session)
    unsure = led_elsewhere_stretch.filter(~col("is_able"))
    return (
        found.pipe(with_longest, led_elsewhere_stretch.filter("is_able"))
        .pipe(with_share, span_parts_in_breaches(found, of_each), "reassigning_ms")
        .pipe(with_share, merge_touching_spans(unsure, BREACH), "stale_ms")
        .pipe(with_share, live, "live_ms")
        .with_columns(duration_ms=milliseconds_between("breached_at", "until_at"))
        .with_columns(down_ms=col("duration_ms") - col("live_ms"))
        .pipe(with_checks, imbalance_check)
        .pipe(with_why, audit_limit.limits["imbalance_checks"])
    )


@needs_rows_of("breaches")
def live_in_breaches(breaches: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """(BREACH, from_at, until_at): when its broker was live."""
    live = [live_spans(broker_session), spans_of_unlisted_brokers(breaches, broker_session)]
    return span_parts_in_breaches(breaches, pl.concat(live))


def led_elsewhere(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """Stretches in which another broker led than the preferred one (BROKER), is_able: that was in the ISR."""
    head = col("replicas").list.first()
    is_elsewhere = (head != col("leader")) & (col("leader") >= 0) & ~col("is_deleting")
    return partition_timeline.filter(is_elsewhere).select(
        *PARTITION, "evidence", broker_id=head, from_at="valid_from_at", until_at="valid_until_at",
        is_able=col("isr").list.contains(head), is_stale=col("is_isr_stale").fill_null(value=False),
    )  # fmt: skip


def live_spans(broker_session: pl.DataFrame) -> pl.DataFrame:
    """Stretches in which each broker was there; how long one had been that a controller finds at its start, no line
    says."""
    is_first = pl.int_range(pl.len()).over(BROKER) == 0
    is_found = is_first & (col("joined_how") != "joined")
    return broker_session.sort("joined_at").select(
        *BROKER, from_at=when(~is_found).then("joined_at"), until_at="left_at"
    )


def spans_of_unlisted_brokers(breaches: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """(BROKER, from_at, until_at) of breaches of brokers that no list of live brokers named before they were over."""
    first = broker_session.group_by(BROKER).agg(listed_at=col("joined_at").min())
    is_unlisted = col("listed_at").is_null() | (col("listed_at") >= col("until_at"))
    listed = breaches.join(first, on=BROKER, how="left")
    return listed.filter(is_unlisted).select(*BROKER, col("breached_at").alias("from_at"), "until_at")


def with_longest(breaches: pl.DataFrame, able: pl.DataFrame) -> pl.DataFrame:
    """able_ms, and able: the line that says so of the longest stretch."""
    longest = longest_of_each(able).select(
        *BREACH, able_ms=milliseconds_between("from_at", "until_at"), able="evidence"
    )
    joined = breaches.join(longest, on=BREACH, how="left")
    return joined.with_columns(col("able_ms").fill_null(0))


def longest_of_each(able: pl.DataFrame) -> pl.DataFrame:
    """Of each breach the longest stretch (from_at, until_at, evidence)."""
    return (
        able.with_columns(able_ms=milliseconds_between("from_at", "until_at"))
        .sort("able_ms", "evidence")
        .group_by(BREACH, maintain_order=True)
        .agg(col("from_at", "until_at", "evidence").last())
    )


def with_share(breaches: pl.DataFrame, parts: pl.DataFrame, name: str) -> pl.DataFrame:
    total = parts.group_by(BREACH).agg(milliseconds_between("from_at", "until_at").sum().alias(name))
    return breaches.join(total, on=BREACH, how="left").with_columns(col(name).fill_null(0))


INCREMENTAL = Incremental(ordered_by="balanced_at", lookback_days=1, begun_by="breached_at")
