"""By topic and hour, how much of the time of its partitions served, at least and at most."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import (
    Condition,
    all_conditions,
    column_before,
    column_equals,
    column_reaching,
    is_in,
)
from pipeline.core.stretches import TIME, with_island
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.in_doubt import is_service_unknown

TIMELINE, IMPACT = "gold.partition_timeline", "gold.client_impact"
SUBJECT = ("topic", "topic_life", "partition")
AN_HOUR = timedelta(hours=1)
HELD = (*SUBJECT, "valid_from_at", "valid_until_at", "is_served", "is_deleting", "certainty")
# Whom a partition serves that has a leader, and what it is if it has none that answers; late answers are none of it.
SERVED = ("producers", "groups", "transactions")
UNSERVED = ("no_leader", "leader_dead_unnoticed", "leader_moved", "coordinator_moved")


def availability_by_hour(
    answers: Answers, since: datetime, until: datetime, topic: str | None = None
) -> pl.DataFrame:
    """One row per topic and hour of the time: topic, hour_at, partition_ms (time of its partitions in that hour),
    unserved_low_ms (of it nobody served for certain), unserved_high_ms (perhaps; time of which no line tells whether
    somebody serves is in it; null: no line bounds it).

    Served is what has a leader that lives and says that it leads: gold.client_impact of producers with any acks, of
    internal topics of groups and transactions.
    """
    within = all_conditions(column_equals("topic", topic) if topic else None)
    held = answers.rows(TIMELINE, meeting_span(within, "valid_from_at", "valid_until_at", since, until), HELD)
    there = held.filter(~col("is_deleting").fill_null(value=False))
    impact = answers.rows(
        IMPACT,
        meeting_span(
            all_conditions(within, audience_condition()), "from_at", "until_earliest_at", since, until
        ),
        ("audience", *SUBJECT, "parts"),
    )
    parts = (
        impact.select(*SUBJECT, "parts").explode("parts").unnest("parts").filter(col("kind").is_in(UNSERVED))
    )
    certain = parts.filter(col("certainty") != "undetermined").select(
        *SUBJECT, from_at="from_latest_at", until_at=pl.coalesce("until_earliest_at", lit(until, TIME))
    )
    open_end = when(col("until_earliest_at").is_null()).then(lit(until, TIME)).otherwise("until_earliest_at")
    possible = parts.select(*SUBJECT, "from_at", until_at=pl.coalesce("until_at", open_end))
    unknown = there.filter(is_service_unknown()).select(
        *SUBJECT, from_at="valid_from_at", until_at="valid_until_at"
    )
    unbounded = parts.filter(col("until_at").is_null() & col("until_earliest_at").is_not_null()).select(
        "topic", hour_at=col("until_earliest_at").dt.truncate("1h"), is_unbounded=lit(value=True)
    )
    all_time = there.select(*SUBJECT, from_at="valid_from_at", until_at="valid_until_at")
    sums = {
        "partition_ms": all_time,
        "unserved_low_ms": certain,
        "unserved_high_ms": pl.concat([possible, unknown]),
    }
    return in_each_hour(sums, unbounded, since, until)


def in_each_hour(
    sums: Mapping[str, pl.DataFrame], unbounded: pl.DataFrame, since: datetime, until: datetime
) -> pl.DataFrame:
    """Stretches by the name of what they add up to, in hours; unbounded: (topic, hour_at, is_unbounded) of which no
    line bounds unserved_high_ms."""
    hour = ["topic", "hour_at"]
    found = hourly_time(sums["partition_ms"], since, until, "partition_ms")
    for name in ("unserved_low_ms", "unserved_high_ms"):
        found = found.join(hourly_time(sums[name], since, until, name), on=hour, how="left")
    most = {name: pl.min_horizontal(col(name).fill_null(0), "partition_ms") for name in sums}
    return (
        found.join(unbounded.unique(hour), on=hour, how="left")
        .with_columns(**most)
        .with_columns(unserved_high_ms=when(col("is_unbounded").is_null()).then("unserved_high_ms"))
        .drop("is_unbounded")
        .sort(hour)
    )


def audience_condition() -> Condition:
    return is_in("audience", list(SERVED))


def meeting_span(
    more: Condition | None, begin: str, end: str, since: datetime, until: datetime
) -> Condition | None:
    """Rows that are there at some time of the span."""
    return all_conditions(more, column_before(begin, until), column_reaching(end, since))


def hourly_time(stretches: pl.DataFrame, since: datetime, until: datetime, name: str) -> pl.DataFrame:
    """(topic, hour_at, name): how long stretches (from_at, until_at; null: they go on) of the partitions of a topic
    last in each hour of the time, ms; what two of one partition share counts once."""
    inside = stretches.with_columns(
        from_at=pl.max_horizontal("from_at", lit(since, TIME)),
        until_at=pl.min_horizontal(pl.coalesce("until_at", lit(until, TIME)), lit(until, TIME)),
    ).filter(col("until_at") > col("from_at"))
    whole = (
        with_island(inside, SUBJECT)
        .group_by(*SUBJECT, "island")
        .agg(col("from_at").min(), col("until_at").max())
    )
    hours = whole.with_columns(
        hour_at=pl.datetime_ranges(
            col("from_at").dt.truncate("1h"), col("until_at"), interval="1h", closed="left", time_unit="us"
        )
    ).explode("hour_at")
    length = pl.min_horizontal("until_at", col("hour_at") + AN_HOUR) - pl.max_horizontal("from_at", "hour_at")
    return hours.group_by("topic", "hour_at").agg(length.dt.total_milliseconds().sum().alias(name))
