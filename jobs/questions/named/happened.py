"""What happened around a time: the decisions of all tables in one row of time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from jobs.questions.answers import Answers
from jobs.questions.ask import unknown_topic
from jobs.questions.named.answer import Answer, Told
from jobs.questions.named.sources import SOURCES, Source, plain
from jobs.questions.rows import Row
from jobs.text import counted, day_clock
from pipeline.core.conditions import Condition, all_of, before, equals, since
from pipeline.core.errors import InputProblem

ALIKE_FROM = 4  # rows of one source at one time are told together from so many on


@dataclass(frozen=True)
class About:
    """What is asked of: all of it where nothing is given."""

    topic: str | None = None
    partition: int | None = None
    broker: int | None = None


def what_happened(answers: Answers, at: datetime | None, around: timedelta, about: About) -> Answer:
    """at: None for the end of the data. Rows alike at one time (one election of many partitions) are one."""
    last = answers.last_at()
    if last is None:
        return Answer("Not enough evidence: no time is on any record.")
    require_known(answers, about)
    begin, end = window_of(last if at is None else at, around)
    found = (
        (row[source.at], place, row)
        for place, source in enumerate(SOURCES)
        for row in rows_of(answers, source, begin, end, about)
    )
    rows = sorted(found, key=lambda one: one[:2])
    told = list(told_of(rows))
    window = f"{day_clock(begin)} to {day_clock(end)} UTC"
    unknown = gaps(answers, begin, end)
    if begin > last:
        return Answer(f"Not enough evidence: the data end before {window}.", (), unknown, last)
    if not told:
        return Answer(f"The tables tell nothing from {window}.", (), unknown, last)
    return Answer(f"From {window}: {counted(len(rows), 'decision')}.", told, unknown, last)


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
    is_own = equals("topic", about.topic)
    tables = ("gold.partition_timeline", "gold.topic_lifecycle")
    if all(answers.rows(name, is_own, ("topic",)).is_empty() for name in tables):
        raise unknown_topic(about.topic, answers.partition_counts())


def window_of(at: datetime, around: timedelta) -> tuple[datetime, datetime]:
    """Cut where the calendar ends."""
    earliest, latest = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
    return at - min(around, at - earliest), at + max(min(around, latest - at), timedelta(0))


def rows_of(answers: Answers, source: Source, begin: datetime, end: datetime, about: About) -> Sequence[Row]:
    """end: included."""
    asked: list[Condition | None] = [
        since(source.at, begin),
        before(source.at, end + timedelta(microseconds=1)),
    ]
    asked.append(source.only)
    if about.topic is not None:
        if not (source.is_of_partitions or source.is_of_topics):
            return []
        asked.append(equals("topic", about.topic))
        if about.partition is not None and source.is_of_partitions:
            asked.append(equals("partition", about.partition))
    if about.broker is not None:
        if source.broker is None:
            return []
        asked.append(equals(source.broker, about.broker))
    return answers.rows(source.table, all_of(*asked)).to_dicts() if answers.has(source.table) else []


def told_of(rows: Sequence[tuple[datetime, int, Row]]) -> Iterator[Told]:
    """Many of one source at one time are told by the first of them, and by how many there are."""
    place = 0
    while place < len(rows):
        at, source, row = rows[place]
        alike = place
        while alike < len(rows) and rows[alike][:2] == (at, source):
            alike += 1
        count = alike - place
        if count < ALIKE_FROM:
            yield from (one_told(*rows[one]) for one in range(place, alike))
        else:
            first = one_told(at, source, row)
            yield Told(
                f"{first.text}, and {count - 1:,} more of the kind", at, first.certainty, first.evidence
            )
        place = alike


def one_told(at: datetime, source: int, row: Row) -> Told:
    told = SOURCES[source]
    evidence = row["evidence"][-1:] if told.is_end else row["evidence"][:1]
    return Told(told.words(row), at, row.get("certainty"), evidence)


def gaps(answers: Answers, begin: datetime, end: datetime) -> list[str]:
    """Where lines of that time are missing."""
    found = answers.rows("silver.log_gap", before("from_at", end) & since("until_at", begin)).sort("from_at")
    return [f"{plain(one['kind'])}: {one['sentence']}" for one in found.head(5).to_dicts()]
