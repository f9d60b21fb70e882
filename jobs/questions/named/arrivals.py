"""Who was told of a partition's leader, when, and who answered."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from polars import col, lit

from jobs.questions.given_names import TopicPartition, unknown_partition
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.questions.named.applied_leaders import applied_leader
from jobs.questions.named.clock_lengths import passed_text
from jobs.questions.named.lines_of_requests import lines_of_requests
from jobs.questions.named.requests_of_changes import requests_of_change
from jobs.text import format_count, length_text
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import column_equals
from pipeline.rules.shared.requests import NAMES
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.clocks_apart import ClockBounds, clock_bounds, passed_ms
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at

TIMELINE = "gold.partition_timeline"
ARRIVED = ("applied", "received", "ignored", "partly_ignored", "error")
WORDS = {
    "applied": "carried out",
    "received": "received",
    "partly_ignored": "received, some of its partitions left out",
    "ignored": "received, all of its partitions left out: the broker had it already",
    "refused_stale_controller": "refused: the broker knew a newer controller",
    "refused_stale_broker": "refused: it was meant for an earlier registration",
    "error": "received, and failed",
    "lost_broker_gone": "never arrived: the broker was gone",
    "lost_controller_gone": "never arrived: the controller was gone",
    "not_seen": "in no line of the broker, though it stayed: lost, or its lines are missing",
    "not_sent": "not sent: the controller had no connection",
    "unseen": "sent; of one without partitions the broker prints nothing",
    "undetermined": "sent; no line tells whether it arrived",
}
UNTOLD = "which request it was: up to 2.5 brokers print it at TRACE, from 2.6 on the controller at INFO"
WHICH = "which partitions each request had: that is printed at TRACE alone"


def did_it_arrive(
    answers: Answers, partition: TopicPartition, at: datetime | None, *, every_line: bool = False
) -> Answer:
    """Of the leader that held at that time, None: at the end. every_line: with all lines of both sides that are about
    the partition or the whole request. InputProblem: no such partition."""
    is_own = column_equals("topic", partition.topic) & column_equals("partition", partition.partition)
    if answers.rows(TIMELINE, is_own, ("topic",)).is_empty():
        raise unknown_partition(partition, answers.partition_counts())
    last = answers.last_at()
    held = answers.rows(TIMELINE, is_own & holds_at(at)).sort("stated_from_at").tail(1).to_dicts()
    if not held or held[0]["term_id"] is None:
        when = day_clock(at) + " UTC" if at else "the end of the data"
        return Answer(f"Not enough evidence: no line says who led {partition} at {when}.", as_of=last)
    # A leader that changes the ISR keeps its epoch, and no request of the controller comes with that.
    of_epoch = is_own & column_equals("leader_epoch", held[0]["leader_epoch"] or 0)
    begun = answers.rows(TIMELINE, of_epoch).filter(
        col("leader") == held[0]["leader"],
        col("topic_id").eq_missing(lit(held[0]["topic_id"])),
        col("stated_from_at") <= held[0]["stated_from_at"],
    )
    change = begun.sort("stated_from_at").row(0, named=True) if begun.height else held[0]
    since = f"{day_clock(change['stated_from_at'])} UTC"
    state = f"{partition} had leader {change['leader']} since {since} (leader epoch {change['leader_epoch']})"
    if change["topic_id"] is not None:
        return applied_leader(answers, partition, change, state)
    requests = requests_of_change(answers, change)
    if not requests:
        none = (
            f"Not enough evidence: {state}, and no line of the controller says which of its requests told so."
        )
        return Answer(none, (), [UNTOLD], last)
    bounds = clock_bounds(answers)
    told = [request_item(one, bounds) for one in requests]
    if every_line:
        places = lines_of_requests(answers, requests, partition)
        told = [
            replace(item, evidence=lines, shown_lines=len(lines))
            for item, lines in zip(told, places, strict=True)
        ]
    is_named = all(one["work_seq"] is None for one in requests)
    unknown = untold_replicas(requests, change["replicas"]) if is_named else [WHICH]
    return Answer(f"{state}. {arrival_sentence(requests)}", told, unknown, last)


def untold_replicas(requests: Sequence[Row], replicas: Sequence[int] | None) -> list[str]:
    """Where only lines of brokers name the partition (up to 2.5): the replicas that print no LeaderAndIsr."""
    printing = {one["broker_id"] for one in requests if one["request"] == "LEADER_AND_ISR"}
    silent = sorted(set(replicas or ()) - printing)
    names = f"{'broker' if len(silent) == 1 else 'brokers'} {', '.join(map(str, silent))}"
    return (
        [f"whether a LeaderAndIsr was sent to {names}: no line there names the partition"] if silent else []
    )


def arrival_sentence(requests: Sequence[Row]) -> str:
    arrived = [one for one in requests if one["outcome"] in ARRIVED]
    lost = sorted({one["broker_id"] for one in requests if one["outcome"].startswith(("lost", "not_sent"))})
    said = f"{len(arrived)} of {format_count(len(requests), 'request')} that followed arrived"
    if lost:
        said += f"; not all reached {'broker' if len(lost) == 1 else 'brokers'} {', '.join(map(str, lost))}"
    return f"{said}."


def both_sides_first(row: Row) -> Sequence[Row]:
    """Its evidence; the first of the controller's lines, and the broker's, which is the last, before the others."""
    first, *others = row["evidence"] or [None]
    return [first, *others[-1:], *others[:-1]] if first else []


def request_item(row: Row, bounds: ClockBounds) -> AnswerItem:
    names = ("term_id", "broker_id", "request", "outcome", "correlation_id", "error")
    values = {name: row[name] for name in (*names, "queue_ms", "apply_ms", "answer_ms")}
    parts = [WORDS[row["outcome"]]]
    if row["received_at"]:
        parts.append(f"by the broker's clock {day_clock(row['received_at'])}")
        if waited := waited_text(row, bounds):
            parts.append(f"on its way for {waited}")
    if row["apply_ms"] is not None:
        parts.append(f"took {length_text(row['apply_ms'])}")
    if row["answered_at"]:
        parts.append(f"answered {day_clock(row['answered_at'])}")
    if row["error"]:
        parts.append(row["error"])
    count = format_count(row["partition_count"], "partition")
    text = f"{NAMES[row['request']]} to broker {row['broker_id']} ({count}): {', '.join(parts)}"
    return AnswerItem(text, row["told_at"], row["certainty"], both_sides_first(row), values)


def waited_text(row: Row, bounds: ClockBounds) -> str:
    """From sent until the broker says that it has got it; empty where no line bounds how far their clocks are apart."""
    if row["queue_ms"] is None:
        return ""
    nodes = row["controller_id"], row["broker_id"]
    return passed_text(passed_ms(bounds, *nodes, row["sent_at"], row["queue_ms"]))
