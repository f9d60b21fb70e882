"""Partitions without a leader: by the event at their root, and by topic; asked of what was published."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import polars as pl
from polars import col

from jobs.layout import format_table, wrap_text
from jobs.questions.ask import require_tables
from jobs.questions.given_names import unknown_topic
from jobs.questions.outage_events import ASKED, HANG, broker_ids, event_lines, event_of, gone_brokers_text
from jobs.questions.untold import leaders_text
from jobs.text import bounds_text, clock_by, format_count, length_text, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import IsNull, all_conditions, column_equals
from pipeline.model.partitions.outage_event import EVENT, with_event
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.in_doubt import is_service_unknown
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at, reached_since

TABLE, TIMELINE = "gold.partition_outage", "gold.partition_timeline"
COLUMNS = (
    *("topic", "topic_life", "partition", "noticed_at", "unserved_from_at", "ended_at"),
    *("root_event", "root_broker_id", "root_left_how", "term_id", "ended_how", "low_ms", "certainty"),
)
LEAST_MS = 1000  # shorter ones are what every restart does
SHOWN_EVENTS, SHOWN_TOPICS = 5, 40
UNENDED = ("lines_missing", "taken_over")  # it can have lasted longer
IS_UNSURE = (col("certainty") == "undetermined").fill_null(value=False)
# Of the outages of with_lasting. unsure_ms: of those that may have been shorter, or none at all; most_ms is null where
# nothing tells it of one of them.
SUMMED = {
    "outages": pl.len(),
    "partitions": pl.struct("topic", "topic_life", "partition").n_unique(),
    "noticed_ms": col("noticed_ms").sum(),
    "unsure_ms": col("noticed_ms").filter(IS_UNSURE).sum(),
    "most_ms": pl.when(col("most_ms").is_not_null().all()).then(col("most_ms").sum()),
    "longest_ms": col("noticed_ms").max().fill_null(0),
    "open": (col("ended_at").is_null() & ~IS_UNSURE).sum(),
}


@dataclass(frozen=True)
class Outages:
    """last: the end of the data. all: every outage counted, of them by length: of LEAST_MS and more (long, and
    unsure_long of the unsure), under it (short), open but not yet so long (begun), and not so long by the last line
    that tells of them, which is not their end (unended). events: all but the short and unended ones, by the event at
    their root, the worst first. untold: why outages are not told, in words. unknown: of how many partitions it is not
    known whether somebody serves them at the end."""

    last: datetime
    all: Row
    events: list[Row]
    event_count: int
    untold: str | None = None
    unknown: int = 0

    @property
    def open(self) -> str:
        count, unknown = self.all["open"], self.unknown
        return "?" if not count and (unknown or self.untold) else bounds_text(count, unknown, count + unknown)


def show_outages(given: argparse.Namespace, answers: Answers) -> list[str]:
    """InputProblem: the topic is in no log that was read."""
    last = answers.last_at()
    if last is None:
        return [f"{answers.cluster_id}  no time on any record"]
    rows = outage_rows_of(answers, given.topic, COLUMNS)
    at_end = all_conditions(column_equals("topic", given.topic) if given.topic else None, holds_at(None))
    held = answers.rows(TIMELINE, at_end, ("certainty", "is_served", "is_deleting"))
    why, unknown = leaders_text(answers), held.filter(is_service_unknown()).height
    explained = "noticed: at least so long, at most: since it can have begun"
    heading = wrap_text(f"{answers.cluster_id}  to {day_clock(last)} UTC; {explained}")
    if given.open:
        return [*heading, *open_lines(rows, last, why, unknown)]
    told = replace(worst_outages(rows, last, shown=None), untold=why, unknown=unknown)
    return [*heading, *outage_lines(told), *outage_topic_lines(by_topic(rows, last))]


def outage_rows_of(answers: Answers, topic: str | None, columns: Sequence[str]) -> pl.DataFrame:
    """Of a topic, or of all. InputProblem: the topic is in no log that was read."""
    require_tables(answers, TABLE)
    of_topic = column_equals("topic", topic) if topic else None
    rows = answers.rows(TABLE, of_topic, columns)
    if topic is not None and rows.is_empty() and answers.rows(TIMELINE, of_topic, ("topic",)).is_empty():
        raise unknown_topic(topic, answers.partition_counts())
    return rows


def open_lines(rows: pl.DataFrame, last: datetime, untold: str | None = None, unknown: int = 0) -> list[str]:
    """Each partition that has no leader at the end of the data, whatever the length; the longest first. untold and
    unknown: of Outages."""
    still = with_lasting(rows.filter(col("ended_at").is_null()), last)
    found = still.sort(-col("noticed_ms"), "topic", "partition").to_dicts()
    doubt = f"of {format_count(unknown, 'partition')} it is not known" if unknown else ""
    if not found and (untold or doubt):
        why = "; ".join(filter(None, (untold, doubt)))
        return wrap_text(
            f"OPEN   not enough evidence: none is known to be without a leader at the end; {why}", HANG
        )
    if not found:
        return ["OPEN   no partition is without a leader at the end of the data"]
    cells = [
        (
            f"{shorten_line(one['topic'], 60)}-{one['partition']}",
            clock_by(one["noticed_at"], last),
            length_text(one["noticed_ms"]),
            "?" if one["most_ms"] is None else length_text(one["most_ms"]),
            event_of(one)
            + gone_brokers_text(one | {"brokers": broker_ids(one)})
            + ("  [undetermined]" if one["certainty"] == "undetermined" else ""),
        )
        for one in found
    ]
    sure = sum(one["certainty"] != "undetermined" for one in found)
    head = ("PARTITION", "noticed", "at least", "at most", "by")
    count = bounds_text(sure, max(unknown, len(found) - sure), sure + unknown)
    return [f"OPEN   {count} without a leader at the end of the data", *format_table(head, cells)]


def with_lasting(rows: pl.DataFrame, last: datetime) -> pl.DataFrame:
    """Adds noticed_ms and most_ms, how long an outage lasted, until the end of the data where it goes on; most_ms is
    null where nothing tells."""
    end = pl.max_horizontal(col("ended_at").fill_null(last), "noticed_at").dt.epoch("ms")
    noticed_ms = end - col("noticed_at").dt.epoch("ms")
    return rows.with_columns(
        noticed_ms=pl.when(col("ended_how") == "wiped").then("low_ms").otherwise(noticed_ms),
        most_ms=end - col("unserved_from_at").dt.epoch("ms"),
    )


def worst_outages(rows: pl.DataFrame, last: datetime, shown: int | None = SHOWN_EVENTS) -> Outages:
    """shown: how many events, the worst first, those of which lines are missing last; None: all."""
    every = with_lasting(rows, last)
    is_open, is_less = col("ended_at").is_null(), (col("noticed_ms") < LEAST_MS).fill_null(value=False)
    is_unended = is_less & col("ended_how").is_in(UNENDED).fill_null(value=False)
    is_short = is_less & ~is_open & ~is_unended
    lengths = {
        "long": (~is_less & ~IS_UNSURE).sum(),
        "unsure_long": (~is_less & IS_UNSURE).sum(),
        "short": is_short.sum(),
        "begun": (is_less & is_open).sum(),
        "unended": is_unended.sum(),
    }
    events = (
        with_event(every.filter(~is_short & ~is_unended))
        .group_by(EVENT)
        .agg(
            **SUMMED,
            noticed_at=col("noticed_at").min(),
            is_unsure=IS_UNSURE.all(),
            brokers=col("root_broker_id").drop_nulls().unique().sort(),
            root_left_how=pl.when((col("root_left_how") == ASKED).fill_null(value=False).all()).then(
                pl.lit(ASKED)
            ),
        )
    )
    worst = events.sort("is_unsure", -col("noticed_ms"), *EVENT)
    worst = worst if shown is None else worst.head(shown)
    counted = every.select(**SUMMED, **lengths).row(0, named=True)
    return Outages(last, counted, worst.to_dicts(), len(events))


def by_topic(rows: pl.DataFrame, last: datetime) -> list[Row]:
    """The worst topics first."""
    topics = with_lasting(rows, last).group_by("topic").agg(**SUMMED)
    return topics.sort(-col("noticed_ms"), "topic").head(SHOWN_TOPICS).to_dicts()


def outage_lines(told: Outages) -> list[str]:
    lines = outage_total_lines(told)
    lines += [line for one in told.events for line in event_lines(one, told.last)]
    if told.event_count > len(told.events):
        lines.append(f"       {told.event_count - len(told.events)} more events: outages")
    return lines


def outage_total_lines(told: Outages) -> list[str]:
    """How many there were and how long all together; that there was none only where lines tell it."""
    every = told.all
    if not every["outages"]:
        if told.untold:
            return wrap_text(f"OUTAGE not enough evidence: none was noticed, and {told.untold}", HANG)
        doubt = (
            f"; at the end it is not known of {format_count(told.unknown, 'partition')}"
            if told.unknown
            else ""
        )
        return [f"OUTAGE none was noticed{doubt}"]
    unended = f"; {every['unended']:,} whose end no line tells" if every["unended"] else ""
    return wrap_text(
        f"OUTAGE {total_text(every)}, from {format_count(told.event_count, 'event')}; open {told.open}; "
        f"{every['short']:,} under 1 s{unended}",
        HANG,
    )


def total_text(every: Row) -> str:
    """How many were long, and how long all were together: the sure ones apart from those that lines are missing of."""
    certain_ms, unsure_ms = every["noticed_ms"] - every["unsure_ms"], every["unsure_ms"]
    is_certain = certain_ms or not unsure_ms
    begun = f", {every['begun']:,} that had just begun" if every["begun"] else ""
    total = (
        f"{every['long' if is_certain else 'unsure_long']:,} of 1 s or more{begun}, "
        f"{length_text(certain_ms if is_certain else unsure_ms)} in total over all partitions"
    )
    if not is_certain:
        return f"none for certain; up to {total}, where lines are missing"
    more = f"{every['unsure_long']:,} of 1 s or more, {length_text(unsure_ms)}"
    return f"{total}; up to {more} more where lines are missing" if unsure_ms else total


def outage_topic_lines(topics: Sequence[Row]) -> list[str]:
    """Partition-minutes without a leader, the worst topics first; ? where nothing tells how long at most."""
    if not topics:
        return []
    cells = [
        (
            shorten_line(one["topic"], 60),
            str(one["partitions"]),
            str(one["outages"]),
            f"{one['noticed_ms'] / 60000:,.2f}",
            "?" if one["most_ms"] is None else f"{one['most_ms'] / 60000:,.2f}",
            length_text(one["longest_ms"]),
            str(one["open"]) if one["open"] else "",
        )
        for one in topics
    ]
    head = ("TOPIC", "partitions", "outages", "minutes in all", "at most", "longest", "open")
    return ["", *format_table(head, cells)]


def open_outages(answers: Answers) -> list[Row]:
    """Outages that go on at the end of the data, those that are certain first, then the earliest."""
    rows = answers.rows(TABLE, IsNull("ended_at"), COLUMNS)
    return rows.sort(IS_UNSURE, "noticed_at", "topic", "partition").to_dicts()


def outages_since(answers: Answers, last: datetime | None, since: datetime | None) -> Outages | None:
    """For the first screen: those that end at that time or later; None where no record has a time (last)."""
    return (
        None
        if last is None
        else worst_outages(answers.rows(TABLE, reached_since("ended_at", since), COLUMNS), last)
    )
