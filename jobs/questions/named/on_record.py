"""What the metadata log has of a partition at a time."""

from collections.abc import Sequence
from datetime import datetime

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.text import list_text
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import column_equals
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.recorded import copies_of_log
from pipeline.views.reading.rows import Row

TABLE = "silver.metadata_partition"
REMOVED = "none"
SHOWN = 5
NOT_SERVICE = "whether the leader served it then: a record is a decision"
CAUSES = {
    "controlled_shutdown": "broker {} was told to stop",
    "fenced": "broker {} was fenced",
    "unfenced": "broker {} was back",
    "directory": "a log directory of broker {} failed",
    "reassignment": "a reassignment",
    "preferred": "the preferred leader",
    "unclean": "unclean: no replica of the ISR could take over",
}


def what_is_on_record(answers: Answers, partition: TopicPartition, at: datetime | None) -> Answer:
    """The state that stood at that time, else the last, and the changes that led to it, the newest first. The data end
    where the copies end, whatever lines of text tell after that."""
    last, copies = answers.last_at(), copies_of_log(answers)
    bases = answers.rows(TABLE, None, ("is_base",)) if answers.has(TABLE) else None
    if bases is None or bases.is_empty():
        nothing = "No copy of the metadata log was read (__cluster_metadata-0 of any node)."
        return Answer(nothing, (), ["what the controllers decided"], last)
    is_own = column_equals("topic", partition.topic) & column_equals("partition", partition.partition)
    rows = answers.rows(TABLE, is_own).sort("record_offset", "is_base").to_dicts()
    told = [row for row in rows if at is None or row["decided_at"] <= at]
    state = state_text(partition, told[-1]) if told else f"{partition} is not on record"
    items = [AnswerItem(change_text(row), row["decided_at"], "proved") for row in told[-SHOWN:][::-1]]
    unknown = [NOT_SERVICE] if told else []
    if copies is not None:
        last = copies["last_at"]
        unknown += untold_by_copies(copies, told, has_base=bool(bases["is_base"].any()))
        if at is not None and at > last:
            beyond = f"the data end before {day_clock(at)} UTC, as copies of the metadata log do"
            return Answer(f"Not enough evidence: {beyond}. At their end {state}.", items, unknown, last)
    when = f" at {day_clock(at)} UTC" if at else ""
    if told:
        return Answer(f"On record{when} {state}.", items, unknown, last)
    begins = f"; it is since {day_clock(rows[0]['decided_at'])} UTC" if rows else ""
    return Answer(f"{state}{when}{begins}.", (), unknown, last)


def untold_by_copies(copies: Row, told: Sequence[Row], *, has_base: bool) -> list[str]:
    """What records that no copy has could have changed since the last one that is told, and whether that stands."""
    offset = told[-1]["record_offset"] if told else -1
    missing = [(first, behind - 1) for first, behind in copies["holes"] if behind > offset]
    if not told and not has_base and copies["first_offset"] > 0:
        missing.insert(0, (0, copies["first_offset"] - 1))
    found = [f"what offsets {first} to {end} decided: no copy of them was read" for first, end in missing]
    if offset > copies["certain_until_offset"]:
        found.append(
            f"whether offset {offset} was committed: copies of more nodes prove it, or a later epoch"
        )
    return found


def state_text(partition: TopicPartition, row: Row) -> str:
    place = f"decided {day_clock(row['decided_at'])} UTC at offset {row['record_offset']}"
    if row["state"] == REMOVED:
        return f"{partition} was deleted, {place}"
    if row["leader"] is None:
        return f"{partition} has a leader that is not known, as the log begins without its base; {place}"
    led = f"{partition} has leader {row['leader']}" if row["leader"] >= 0 else f"{partition} has no leader"
    replicas = f"ISR {list_text(row['isr'])} of replicas {list_text(row['replicas'])}"
    epochs = f"leader epoch {row['leader_epoch']}, partition epoch {row['partition_epoch']}"
    return f"{led}, {replicas} ({epochs}); {place}{why_text(row)}"


def why_text(row: Row) -> str:
    """The cause of an election, as its batch tells it."""
    said = CAUSES.get(row["cause"] or "")
    return "" if said is None else f", as {said.format(row['cause_broker_id'])}"


def change_text(row: Row) -> str:
    if row["state"] == REMOVED:
        return f"offset {row['record_offset']}: deleted"
    leader = "no leader" if row["leader"] == -1 else f"leader {row['leader']}"
    return f"offset {row['record_offset']}: {leader}, ISR {list_text(row['isr'])}{why_text(row)}"
