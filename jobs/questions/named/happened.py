"""What happened around a time: the decisions of all tables in one row of time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from jobs.questions.answers import Answers
from jobs.questions.ask import unknown_topic
from jobs.questions.ask_text import leader_text
from jobs.questions.named.answer import Answer, Told
from jobs.questions.named.controllers import LAST_LINE, named
from jobs.questions.rows import Row
from jobs.text import counted, day_clock, list_text, shortened
from pipeline.core.conditions import Condition, all_of, before, equals, since
from pipeline.core.errors import InputProblem

Words = Callable[[Row], str]


@dataclass(frozen=True)
class About:
    """What is asked of: all of it where nothing is given."""

    topic: str | None = None
    partition: int | None = None
    broker: int | None = None


@dataclass(frozen=True)
class Source:
    """What a table tells happened at the time in a column. broker: the column that names the broker; is_of_partitions:
    its rows have topic and partition. is_end: its last record is the one that says it. only: of its rows those."""

    table: str
    at: str
    words: Words
    broker: str | None = None
    is_of_partitions: bool = False
    is_of_topics: bool = False
    is_end: bool = False
    only: Condition | None = None


def partition_of(row: Row) -> str:
    return f"{shortened(row['topic'], 120)}-{row['partition']}"


def plain(text: str | None) -> str:
    return (text or "not known").replace("_", " ")


# An outage that no leader ended, by its ended_how.
END_OF_OUTAGE = {
    "elected": "was without a leader no longer",
    "leader_returned": "was without a leader no longer",
    "deleted": "its topic was deleted while it had no leader",
    "wiped": "the metadata of the cluster were begun anew, it had no leader before",
    "lines_missing": "nothing is known from then on, it had no leader before",
    "taken_over": "another controller took over, it had no leader before",
}
SOURCES = (
    Source(
        "gold.controller_term",
        "elected_at",
        lambda row: f"{named(row)} was elected controller",
        "controller_id",
    ),
    Source(
        "gold.controller_term",
        "ended_at",
        lambda row: (
            f"last line of the term of {named(row)}, which ended after it: {plain(row['ended_how'])}"
            if row["ended_how"] in LAST_LINE
            else f"the term of {named(row)} ended: {plain(row['ended_how'])}"
        ),
        "controller_id",
        is_end=True,
    ),
    Source(
        "gold.broker_session",
        "joined_at",
        lambda row: f"broker {row['broker_id']} joined ({plain(row['joined_how'])})",
        "broker_id",
    ),
    Source(
        "gold.broker_session",
        "left_at",
        lambda row: (
            f"broker {row['broker_id']} left ({plain(row['left_how'])}), it led {row['led_count'] or 0}"
        ),
        "broker_id",
        is_end=True,
    ),
    Source(
        "gold.partition_outage",
        "noticed_at",
        lambda row: f"{partition_of(row)} was without a leader: {plain(row['root_event'])}",
        "root_broker_id",
        is_of_partitions=True,
    ),
    Source(
        "gold.partition_outage",
        "ended_at",
        lambda row: (
            f"{partition_of(row)} was served again, by {row['new_leader']}"
            if row["new_leader"] is not None
            else f"{partition_of(row)}: {END_OF_OUTAGE[row['ended_how']]}"
        ),
        "root_broker_id",
        is_of_partitions=True,
        is_end=True,
    ),
    Source(
        "gold.leader_election",
        "elected_at",
        lambda row: (
            f"{partition_of(row)}: {plain(row['kind'])} {row['outcome']}, leader {leader_text(row['old_leader'])} ->"
            f" {leader_text(row['leader'])}, ISR {list_text(row['isr'])}{unclean_mark(row)}"
        ),
        "leader",
        is_of_partitions=True,
    ),
    Source(
        "gold.topic_lifecycle",
        "created_at",
        lambda row: f"topic {shortened(row['topic'], 120)} was created, {row['partition_count']} partitions",
        is_of_topics=True,
    ),
    Source(
        "gold.topic_lifecycle",
        "deletion_requested_at",
        lambda row: f"topic {shortened(row['topic'], 120)} was asked to be deleted",
        is_of_topics=True,
    ),
    Source(
        "gold.topic_lifecycle",
        "ended_at",
        lambda row: f"topic {shortened(row['topic'], 120)} was gone: {plain(row['ended_how'])}",
        is_of_topics=True,
        is_end=True,
    ),
    Source(
        "gold.reassignment",
        "started_at",
        lambda row: (
            f"{partition_of(row)}: reassignment {list_text(row['original_replicas'])} ->"
            f" {list_text(row['target_replicas'])} began"
        ),
        is_of_partitions=True,
    ),
    Source(
        "gold.reassignment",
        "ended_at",
        lambda row: (
            f"{partition_of(row)}: reassignment to {list_text(row['target_replicas'])} {plain(row['outcome'])}"
        ),
        is_of_partitions=True,
        is_end=True,
    ),
    Source(
        "gold.imbalance_breach",
        "breached_at",
        lambda row: f"broker {row['broker_id']} went over its limit of leader imbalance",
        "broker_id",
    ),
    Source(
        "gold.imbalance_breach",
        "balanced_at",
        lambda row: f"broker {row['broker_id']} was within its limit of leader imbalance again",
        "broker_id",
        is_end=True,
    ),
    Source(
        "gold.finding",
        "valid_from_at",
        lambda row: f"{row['severity'].upper()} {row['sentence']}",
        "root_broker_id",
        only=~equals("status", "retracted"),
    ),
)
ALIKE_FROM = 4  # rows of one source at one time are told together from so many on


def unclean_mark(row: Row) -> str:
    return "  UNCLEAN" if row["is_clean"] is False else ""


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
