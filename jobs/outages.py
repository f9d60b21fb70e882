"""Partitions without a leader: by the event at their root, and by topic; asked of what was published."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jobs.answers import Answers, Row
from jobs.ask import answered, asking, require
from jobs.text import clock_by, day_clock, shortened, table
from pipeline.model.partitions.outage_event import EVENT
from pipeline.store.rows import collect_one, collect_rows

TABLE = "gold.partition_outage"
LEAST_MS = 1000  # shorter ones are what every restart does
SHOWN_EVENTS, SHOWN_TOPICS = 5, 40


@dataclass(frozen=True)
class Outages:
    """last: the end of the data. all: every outage counted, and the short ones. events: those of LEAST_MS and more, by
    the event at their root, the worst first."""

    last: datetime
    all: Row
    events: list[Row]
    event_count: int


def main(argv: Sequence[str] | None = None) -> int:
    arguments = asking("outages", "Partitions without a leader: for how long, and by which event.")
    arguments.add_argument("--topic", metavar="NAME", help="one topic (all)")
    given = arguments.parse_args(argv)
    return answered("outages", given, partial(outages, given))


def outages(given: argparse.Namespace, answers: Answers) -> list[str]:
    require(answers, TABLE)
    last = answers.last_at()
    if last is None:
        return [f"{answers.store.cluster_id}  no time on any record"]
    rows = answers.table(TABLE)
    if given.topic is not None:
        rows = rows.where(F.col("topic") == given.topic)
    told = asked(rows, last)
    topics = collect_rows(by_topic(rows, last))
    return [
        f"{answers.store.cluster_id}  to {day_clock(last)} UTC; noticed: at least so long, at most: since it can have "
        "begun",
        *outage_lines(told),
        *topic_lines(topics),
    ]


def lasting(last: datetime) -> tuple[Column, Column]:
    """(noticed, most) milliseconds of an outage, until the end of the data where it goes on; most is null where
    nothing tells."""
    end = F.greatest(F.coalesce("ended_at", F.lit(last)), F.col("noticed_at"))
    noticed, most = (
        F.unix_millis(end) - F.unix_millis(since) for since in ("noticed_at", "unserved_from_at")
    )
    return noticed, most


def summed(last: datetime) -> list[Column]:
    noticed, most = lasting(last)
    return [
        F.count("*").alias("outages"),
        F.count_distinct("topic", "topic_life", "partition").alias("partitions"),
        F.coalesce(F.sum(noticed), F.lit(0)).alias("noticed_ms"),
        F.when(F.count(most) == F.count("*"), F.sum(most)).alias("most_ms"),
        F.coalesce(F.max(noticed), F.lit(0)).alias("longest_ms"),
        F.count_if(F.col("ended_at").isNull()).alias("open"),
    ]


def asked(rows: DataFrame, last: datetime) -> Outages:
    noticed, _ = lasting(last)
    is_short = F.count_if((noticed < LEAST_MS) & F.col("ended_at").isNotNull()).alias("short")
    long_ones = rows.where((noticed >= LEAST_MS) | F.col("ended_at").isNull())
    events = (
        long_ones.withColumn("second_at", F.date_trunc("second", "noticed_at"))
        .groupBy(*EVENT)
        .agg(
            *summed(last),
            F.min("noticed_at").alias("noticed_at"),
            F.array_sort(F.collect_set("root_broker_id")).alias("brokers"),
        )
    )
    worst = events.orderBy(F.col("noticed_ms").desc(), "second_at").limit(SHOWN_EVENTS)
    count = collect_one(events.agg(F.count("*").alias("events")))["events"]
    return Outages(last, collect_one(rows.agg(*summed(last), is_short)), collect_rows(worst), int(count))


def by_topic(rows: DataFrame, last: datetime) -> DataFrame:
    return (
        rows.groupBy("topic")
        .agg(*summed(last))
        .orderBy(F.col("noticed_ms").desc(), "topic")
        .limit(SHOWN_TOPICS)
    )


def outage_lines(told: Outages) -> list[str]:
    every = told.all
    if not every["outages"]:
        return ["OUTAGE none was noticed"]
    long_count = every["outages"] - every["short"]
    lines = [
        f"OUTAGE {long_count:,} of 1 s or more, {seconds(every['noticed_ms'])} partition-seconds noticed, from "
        f"{told.event_count:,} events; open {every['open']}; {every['short']:,} under 1 s"
    ]
    lines += [
        f"       {clock_by(one['noticed_at'], told.last)} {one['root_event']}{gone(one)}"
        f"  {one['partitions']} partition(s)  {seconds(one['noticed_ms'])} s  longest {seconds(one['longest_ms'])} s"
        for one in told.events
    ]
    if told.event_count > len(told.events):
        lines.append(f"       {told.event_count - len(told.events)} more events in {TABLE}")
    return lines


def gone(event: Row) -> str:
    brokers = ",".join(str(one) for one in event["brokers"])
    return f": broker {brokers} gone" if brokers else ""


def seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:,.1f}"


def topic_lines(topics: Sequence[Row]) -> list[str]:
    """Partition-minutes without a leader, the worst topics first; ? where nothing tells how long at most."""
    if not topics:
        return []
    cells = [
        (
            shortened(one["topic"], 60),
            str(one["partitions"]),
            str(one["outages"]),
            f"{one['noticed_ms'] / 60000:,.2f}",
            "?" if one["most_ms"] is None else f"{one['most_ms'] / 60000:,.2f}",
            f"{seconds(one['longest_ms'])} s",
            str(one["open"]) if one["open"] else "",
        )
        for one in topics
    ]
    head = ("TOPIC", "partitions", "outages", "partition-minutes", "at most", "longest", "open")
    return ["", *table(head, cells)]


def asked_of(answers: Answers, last: datetime | None, since: datetime | None) -> Outages | None:
    """For the first screen: those that end at that time or later; None where no record has a time (last)."""
    return None if last is None else asked(answers.since(TABLE, "ended_at", since), last)
