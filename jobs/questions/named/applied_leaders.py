"""Which replicas applied a partition's leader in KRaft, where brokers learn it from metadata: by their lines."""

from collections.abc import Collection
from datetime import timedelta

from polars import col

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.questions.named.clock_lengths import passed_text
from jobs.text import format_count
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import Condition, column_equals
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.clocks_apart import ClockBounds, clock_bounds, passed_ms
from pipeline.views.reading.rows import Row, place_of_row

STATE, TIMELINE = "silver.partition_state", "gold.partition_timeline"
# A broker prints one where it applies a new leader epoch, and again when it starts.
APPLIED = ("broker_leader_started", "broker_follower_started")
NONE = "of a replica without such a line: whether it was down, or its lines are missing"
CLOCKS = (
    "how much later, where no length is told: no line of the controller says it, or none bounds their clocks"
)


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
    bounds, decided_by = clock_bounds(answers), deciding_node(answers, change, first.values())
    told = [
        item_of(first[node], change, bounds, decided_by)
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
    unknown = [NONE] if silent else []
    unknown += [CLOCKS] if any(one.values["most_ms"] is None for one in told) else []
    return Answer(f"{said}. {by_leader}; {counted}{without}.", told, unknown, last)


def first_lines(answers: Answers, partition: TopicPartition, change: Row) -> dict[int, Row]:
    """By broker its first line at that leader epoch."""
    is_it = (
        column_equals("topic", partition.topic)
        & column_equals("partition", partition.partition)
        & column_equals("leader_epoch", change["leader_epoch"])
    )
    rows = answers.rows(STATE, is_it).filter(
        col("event").is_in(APPLIED),
        # Followers print no id: a topic of this name that was there before, or comes later, has others.
        (col("topic_id") == change["topic_id"]).fill_null(value=is_only_life(answers, is_it)),
        col("leader") == change["leader"],
    )
    if rows.is_empty():
        return {}
    first = rows.sort("logged_at", "file_id", "byte_offset").unique(
        "node_id", keep="first", maintain_order=True
    )
    return {one["node_id"]: one for one in first.to_dicts()}


def is_only_life(answers: Answers, is_it: Condition) -> bool:
    """No other topic of that name had the partition at that leader epoch."""
    return bool(answers.rows(TIMELINE, is_it, ("topic_id",))["topic_id"].drop_nulls().n_unique() <= 1)


def deciding_node(answers: Answers, change: Row, applied: Collection[Row]) -> int | None:
    """The controller whose line says it first; None: a broker that applied it does, or no line."""
    places = {place_of_row(one) for one in applied}
    if not change["evidence"] or place_of_row(change["evidence"][0]) in places:
        return None
    files = answers.segments.filter(col("file_id") == change["evidence"][0]["file_id"])
    nodes = files["node_id"].drop_nulls().unique()
    return int(nodes[0]) if len(nodes) == 1 else None


def item_of(line: Row, change: Row, bounds: ClockBounds, decided_by: int | None) -> AnswerItem:
    node, from_at = line["node_id"], change["stated_from_at"]
    role = "leads" if node == change["leader"] else "follows"
    after_ms = (line["logged_at"] - from_at) // timedelta(milliseconds=1)
    passed = passed_ms(bounds, decided_by, node, from_at, after_ms)
    later = passed_text(passed)
    values = {
        "broker_id": node, "role": role, "leader_epoch": change["leader_epoch"], "after_ms": after_ms,
        "least_ms": passed[0], "most_ms": passed[1],
    }  # fmt: skip
    decided = change["evidence"][:1] if decided_by is not None else []
    evidence = [*decided, {name: line[name] for name in ("file_id", "byte_offset")}]
    text = f"broker {node} {role}{f', {later} later' if later else ''}"
    return AnswerItem(text, line["logged_at"], "proved", evidence, values)
