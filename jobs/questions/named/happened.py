"""What happened around a time: the decisions of all tables in one row of time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from jobs.questions.changes.asked import changes_of
from jobs.questions.given_names import unknown_topic
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.questions.named.sources import CHANGE, SOURCES, TOLD_ABOVE, Source, partition_of, spell_out_code
from jobs.text import format_count, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import (
    Condition,
    all_conditions,
    column_before,
    column_equals,
    column_reaching,
    column_since,
)
from pipeline.core.errors import InputProblem
from pipeline.views.changes.frames import LINE
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row, place_of_row

ALIKE_FROM = 4  # rows of one source at one time are told together from so many on
NAMED, LINES = 5, 20  # of those told together
MOST = 20  # are told to people, where they do not ask for all


class RankedItem(NamedTuple):
    """rank: of its Source, 0 where it is an unclean election."""

    rank: int
    item: AnswerItem


Happened = tuple[datetime, int, Row]  # when, which of ALL, its row
ALL = (*SOURCES, CHANGE)


@dataclass(frozen=True)
class About:
    """What is asked of: all of it where nothing is given."""

    topic: str | None = None
    partition: int | None = None
    broker: int | None = None


def what_happened(
    answers: Answers, at: datetime | None, around: timedelta, about: About, *, is_all: bool = True
) -> Answer:
    """at: None for the end of the data. Rows alike at one time (one election of many partitions) are one.
    is_all: people are told each, else the MOST that matter."""
    last = answers.last_at()
    if last is None:
        return Answer("Not enough evidence: no time is on any record.")
    require_known(answers, about)
    middle = last if at is None else at
    begin, end = window_around(middle, around)
    end = max(begin, min(end, last)) if begin <= last else end
    found = [
        (row[source.at], place, row)
        for place, source in enumerate(SOURCES)
        for row in source_rows(answers, source, begin, end, about)
    ]
    found += [(row["at"], len(SOURCES), row) for row in asked_for(answers, begin, end, about)]
    rows = sorted(found, key=lambda one: one[:2])
    told = list(happened_items(rows))
    told = told if is_all else mark_minor(told, middle)
    window = f"{day_clock(begin)} to {day_clock(end)} UTC"
    unknown = gap_sentences(answers, begin, end)
    if begin > last:
        return Answer(f"Not enough evidence: the data end before {window}.", (), unknown, last)
    if not told:
        return Answer(f"The tables tell nothing from {window}.", (), unknown, last)
    return Answer(
        f"From {window}: {format_count(len(rows), 'decision')}.", [one.item for one in told], unknown, last
    )


def require_known(answers: Answers, about: About) -> None:
    """InputProblem: no line names such a topic; a partition of no topic."""
    if about.topic is None:
        if about.partition is not None:
            raise InputProblem(
                expected=f"a topic beside --partition {about.partition}",
                found="no --topic",
                todo="give --topic, too",
            )
        return
    is_own = column_equals("topic", about.topic)
    tables = ("gold.partition_timeline", "gold.topic_lifecycle")
    if all(answers.rows(name, is_own, ("topic",)).is_empty() for name in tables):
        raise unknown_topic(about.topic, answers.partition_counts())


def window_around(at: datetime, around: timedelta) -> tuple[datetime, datetime]:
    """Cut where the calendar ends."""
    earliest, latest = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
    return at - min(around, at - earliest), at + max(min(around, latest - at), timedelta(0))


def source_rows(
    answers: Answers, source: Source, begin: datetime, end: datetime, about: About
) -> Sequence[Row]:
    """end: included."""
    asked: list[Condition | None] = [
        column_since(source.at, begin),
        column_before(source.at, end + timedelta(microseconds=1)),
    ]
    asked.append(source.only)
    if about.topic is not None:
        if not (source.is_of_partitions or source.is_of_topics):
            return []
        asked.append(column_equals("topic", about.topic))
        if about.partition is not None and source.is_of_partitions:
            asked.append(column_equals("partition", about.partition))
    if about.broker is not None:
        if source.broker is None:
            return []
        asked.append(column_equals(source.broker, about.broker))
    return answers.rows(source.table, all_conditions(*asked)).to_dicts() if answers.has(source.table) else []


def asked_for(answers: Answers, begin: datetime, end: datetime, about: About) -> list[Row]:
    """Requests that no source tells to have begun. end: included."""
    if not answers.has(CHANGE.table):
        return []
    found = changes_of(answers, begin, end + timedelta(microseconds=1))
    partition = None if about.partition is None else f"{about.topic}-{about.partition}"
    return [
        row
        for row in found
        if row["kind"] not in TOLD_ABOVE
        and about.topic in (None, *(row["topics"] or []))
        and partition in (None, *(row["partitions"] or []))
        and about.broker in (None, row.get("broker_id"))
    ]


def happened_items(rows: Sequence[Happened]) -> Iterator[RankedItem]:
    """Many of one source at one time are told by the first of them, and by how many there are."""
    for (at, source), group in groupby(rows, key=lambda one: one[:2]):
        alike = [row for _, _, row in group]
        rank = 0 if any(row.get("is_clean") is False for row in alike) else ALL[source].rank
        if len(alike) < ALIKE_FROM:
            yield from (RankedItem(rank, happened_item(at, source, row)) for row in alike)
        else:
            yield RankedItem(rank, alike_rows_item(at, source, alike))


def mark_minor(items: Sequence[RankedItem], middle: datetime) -> list[RankedItem]:
    """Of the items all but the MOST that matter are minor; of equal rank what is nearer to the time is told."""
    in_order = sorted(
        range(len(items)),
        key=lambda place: (items[place].rank, abs((items[place].item.at or middle) - middle)),
    )
    told = set(in_order[:MOST])
    return [
        one._replace(item=replace(one.item, is_minor=place not in told)) for place, one in enumerate(items)
    ]


def alike_rows_item(at: datetime, source: int, alike: Sequence[Row]) -> AnswerItem:
    first = happened_item(at, source, alike[0])
    others = alike[1:]
    names = list(filter(None, (topic_or_partition_of(ALL[source], row) for row in others[:NAMED])))
    named = f" ({', '.join([*names, *(['…'] if len(others) > NAMED else [])])})" if names else ""
    lines = {place_of_row(line): line for row in alike for line in evidence_of(source, row)}
    text = f"{first.text}, and {len(others):,} more of the kind{named}"
    return AnswerItem(text, at, first.certainty, list(lines.values())[:LINES])


def topic_or_partition_of(source: Source, row: Row) -> str | None:
    if source.is_of_topics:
        return shorten_line(row["topic"], 120)
    return partition_of(row) if source.is_of_partitions else None


def happened_item(at: datetime, source: int, row: Row) -> AnswerItem:
    return AnswerItem(ALL[source].words(row), at, row.get("certainty"), evidence_of(source, row))


def evidence_of(source: int, row: Row) -> list[Row]:
    """The line that says it, where one does; of a row that is a line itself that one."""
    line = ALL[source].line
    if "evidence" not in row:
        return [] if row["file_id"] is None else [{name: row[name] for name in LINE}]
    if line is None:
        return []
    found = (row["lines"] or {}).get(line, ()) if isinstance(line, str) else row["evidence"][line:]
    return list(found[:1])


def gap_sentences(answers: Answers, begin: datetime, end: datetime) -> list[str]:
    """Where lines of that time are missing."""
    found = answers.rows(
        "silver.log_gap", column_before("from_at", end) & column_reaching("until_at", begin)
    ).sort("from_at")
    return [f"{spell_out_code(one['kind'])}: {one['sentence']}" for one in found.head(5).to_dicts()]
