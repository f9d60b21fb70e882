"""Which replicas applied a partition's leader in KRaft, where brokers learn it from metadata: by their lines."""

from datetime import timedelta

from polars import col

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.text import format_count, length_text
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import column_equals
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

STATE = "silver.partition_state"
# A broker prints one where it applies a new leader epoch, and again when it starts.
APPLIED = ("broker_leader_started", "broker_follower_started")
NONE = "of a replica without such a line: whether it was down, or its lines are missing"
CLOCKS = "lengths are between the clocks of two nodes, as far apart as whose-clock says"


def applied_leader(answers: Answers, partition: TopicPartition, change: Row, said: str) -> Answer:
    """change: the row of gold.partition_timeline that begins it; said: a sentence without its end that tells of it.

    Source: Partition.makeLeader, makeFollower; 2.8 to 4.4.
    """
    last = answers.last_at()
    first = first_lines(answers, partition, change)
    replicas = change["replicas"] or sorted(first)
    if change["leader"] < 0:
        return Answer(f"Not enough evidence: {said}, and what nobody leads no broker applies.", as_of=last)
    if not first:
        none = f"Not enough evidence: {said}, and no line of a broker says that it applied that."
        return Answer(none, (), ["state-change.log of brokers: they print it at INFO"], last)
    told = [
        item_of(first[node], change, node)
        for node in [*replicas, *sorted(first.keys() - {*replicas})]
        if node in first
    ]
    silent = [node for node in replicas if node not in first]
    leader = first.get(change["leader"])
    by_leader = (
        f"Its leader applied it at {day_clock(leader['logged_at'])} UTC by its own clock"
        if leader
        else "No line says that its leader applied it"
    )
    counted = f"{len(replicas) - len(silent)} of {format_count(len(replicas), 'replica')} say so"
    without = f", not {', '.join(map(str, silent))}" if silent else ""
    return Answer(
        f"{said}. {by_leader}; {counted}{without}.", told, [*([NONE] if silent else []), CLOCKS], last
    )


def first_lines(answers: Answers, partition: TopicPartition, change: Row) -> dict[int, Row]:
    """By broker its first line at that leader epoch."""
    is_it = (
        column_equals("topic", partition.topic)
        & column_equals("partition", partition.partition)
        & column_equals("leader_epoch", change["leader_epoch"])
    )
    rows = answers.rows(STATE, is_it).filter(
        col("event").is_in(APPLIED),
        # Up to 3.5 followers print no id: a topic of this name that was there before, or comes later, has others.
        (col("topic_id") == change["topic_id"]).fill_null(value=True),
        col("leader") == change["leader"],
    )
    if rows.is_empty():
        return {}
    first = rows.sort("logged_at", "file_id", "byte_offset").unique(
        "node_id", keep="first", maintain_order=True
    )
    return {one["node_id"]: one for one in first.to_dicts()}


def item_of(line: Row, change: Row, node: int) -> AnswerItem:
    role = "leads" if node == change["leader"] else "follows"
    after_ms = (line["logged_at"] - change["stated_from_at"]) // timedelta(milliseconds=1)
    later = f", {length_text(after_ms)} later" if after_ms > 0 else ""
    values = {"broker_id": node, "role": role, "leader_epoch": change["leader_epoch"], "after_ms": after_ms}
    evidence = [{name: line[name] for name in ("file_id", "byte_offset")}]
    return AnswerItem(f"broker {node} {role}{later}", line["logged_at"], "proved", evidence, values)
