"""What a controller was doing at a time, and what took it long."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import polars as pl
from polars import col

from jobs.questions.named.answer import Answer, AnswerItem
from jobs.questions.named.controllers import controller_and_epoch
from jobs.text import format_count, length_text
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import Condition, all_conditions, column_before, column_differs, column_since
from pipeline.rules.shared.work import work_text
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

TABLE = "gold.controller_event"
PERIOD, SLOW, FAILED = "period", "slow_event", "failed_event"
SLOWEST = 10
SHORTEST_MS = 100  # what took less is no answer to why it was slow
# gold.controller_event: no piece of work is looked at for longer.
LONGEST = timedelta(hours=1)
MANY_PARTITIONS = 20
UNPRINTED = "how many events stood in the queue, and those that print no line"


def what_was_it_doing(answers: Answers, at: datetime | None) -> Answer:
    """at: None for the end of the data."""
    last = answers.last_at()
    if last is None:
        return Answer("Not enough evidence: no time is on any record.")
    asked = last if at is None else at
    if asked > last:
        return Answer(f"Not enough evidence: the data end before {day_clock(asked)} UTC.", as_of=last)
    near = all_conditions(
        column_since("began_at", asked - LONGEST), column_before("began_at", asked + LONGEST)
    )
    rows = worded_events(answers, near)
    working = [one for one in rows if one["began_at"] <= asked <= one["ended_at"]]
    waiting = [one for one in rows if queued_at(one) <= asked < one["began_at"]]
    before = [one for one in rows if one["ended_at"] < asked][-1:]
    following = [one for one in rows if one["began_at"] > asked and one not in waiting][:1]
    moment = f"{day_clock(asked)} UTC"
    if not (working or before or following):
        said = f"Not enough evidence: within an hour of {moment} no line tells of a controller's work."
        return Answer(said, (), [UNPRINTED], last)
    told = [event_item("in work: ", one) for one in working]
    told += [
        event_item(f"in the queue, taken up after {length_text(one['waited_ms'])}: ", one) for one in waiting
    ]
    told += [event_item("before it: ", one) for one in before]
    told += [event_item("next: ", one) for one in following]
    return Answer(doing_sentence(moment, working, before, asked), told, [UNPRINTED], last)


def doing_sentence(moment: str, working: Sequence[Row], before: Sequence[Row], asked: datetime) -> str:
    if working:
        one = working[-1]
        since = length_text(milliseconds(asked - one["began_at"]))
        more = f", and {len(working) - 1} more" if len(working) > 1 else ""
        return f"At {moment} {one['whose']} was busy with {one['text']} for {since}{more}; it took {took_text(one)}."
    if before:
        one = before[-1]
        idle = length_text(milliseconds(asked - one["ended_at"]))
        return f"At {moment} no line shows an event in work: the last before, {one['text']}, had ended {idle} before."
    return f"At {moment} no line shows an event in work."


def why_slow(answers: Answers, since: datetime | None) -> Answer:
    """The slowest events, and those that are known to have waited longest."""
    last = answers.last_at()
    if last is None:
        return Answer("Not enough evidence: no time is on any record.")
    rows = worded_events(answers, None if since is None else column_since("began_at", since))
    slow = [one for one in rows if one["busy_ms"] >= SHORTEST_MS and one["kind"] != FAILED]
    slowest = sorted(slow, key=lambda one: -one["busy_ms"])[:SLOWEST]
    waited = sorted(
        (one for one in rows if (one["waited_ms"] or 0) >= SHORTEST_MS), key=lambda one: -one["waited_ms"]
    )
    if not rows:
        return Answer("Not enough evidence: no line tells of a controller's work.", as_of=last)
    told = [event_item("", one) for one in slowest]
    told += [
        event_item(f"waited {length_text(one['waited_ms'])}: ", one)
        for one in waited[:SLOWEST]
        if one not in slowest
    ]
    if not slowest:
        said = f"No event of a controller took {SHORTEST_MS} ms, of {format_count(len(rows), 'event')} that lines show."
        return Answer(said, told, [UNPRINTED], last)
    worst = slowest[0]
    said = (
        f"{format_count(len(slow), 'event')} of {len(rows):,} took {SHORTEST_MS} ms or more; the longest, "
        f"{worst['text']}, {took_text(worst)} of {worst['whose']}."
    )
    return Answer(said, told, [UNPRINTED], last)


def worded_events(answers: Answers, condition: Condition | None) -> list[Row]:
    """Events of controllers in order of time, each with text, what it was, and whose, the controller and its epoch."""
    own = column_differs("kind", PERIOD)
    kept = own if condition is None else all_conditions(own, condition)
    rows = answers.rows(TABLE, kept)
    said = pl.when(col("kind").is_in([SLOW, FAILED])).then("event_name").otherwise(work_text())
    terms = {one["term_id"]: controller_and_epoch(one) for one in answers.terms()}
    worded = rows.with_columns(text=said.fill_null(col("kind"))).sort("began_at", "term_id", "work_seq")
    return [
        row | {"whose": terms.get(row["term_id"], f"node {row['controller_id']}")}
        for row in worded.to_dicts()
    ]


def queued_at(row: Row) -> datetime:
    """When it was put into the queue, at the latest."""
    found: datetime = row["began_at"] - timedelta(milliseconds=row["waited_ms"] or 0)
    return found


def event_item(lead: str, row: Row) -> AnswerItem:
    values = {
        name: row[name] for name in ("term_id", "work_seq", "kind", "busy_ms", "waited_ms", "waited_by")
    }
    text = f"{lead}{row['text']}, {took_text(row)} ({row['kind']}, {row['whose']})"
    return AnswerItem(text, row["began_at"], row["certainty"], row["evidence"], values)


def took_text(row: Row) -> str:
    """How long it took, how long a partition, and the longest silence in it."""
    parts, count = [length_text(row["busy_ms"])], row["partitions_count"]
    if count >= MANY_PARTITIONS:
        parts.append(f"{count:,} partitions, {row['busy_ms'] / count:.1f} ms each")
    if (row["longest_gap_ms"] or 0) >= SHORTEST_MS:
        parts.append(f"{length_text(row['longest_gap_ms'])} of it between two lines")
    if row["kind"] == FAILED:
        parts.append(f"failed with {row['exception_class'] or 'an exception'}")
    return ", ".join(parts)


def milliseconds(length: timedelta) -> int:
    return length // timedelta(milliseconds=1)
