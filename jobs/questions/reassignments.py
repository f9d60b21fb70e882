"""Reassignments that go on, and how those of late ended, counted for the first screen."""

from datetime import datetime

import polars as pl
from polars import col

from jobs.questions.answers import Answers
from jobs.questions.rows import Row
from jobs.text import day_clock, length_text
from pipeline.core.conditions import reaching

TABLE = "gold.reassignment"
COLUMNS = ("ended_at", "total_ms", "outcome", "waiting_for", "waiting_broker_ids", "waiting_since_at")
SHOWN_WAITS = 3
ENDS = {"failed": "failed", "forgotten": "forgotten", "skipped": "skipped", "overridden": "overridden"}
WAITING = {
    "controller_powerless": "for a controller, {brokers} can write nothing",
    "quorum_lost": "for a leader of the quorum",
    "no_leader": "for a leader of their own",
    "broker_gone": "for {brokers}, gone",
    "broker_lagging": "for {brokers} to catch up",
    "unknown": "for what no line says",
}


def reassignments_of(answers: Answers, since: datetime | None) -> Row:
    """Counts of those that ended at that time or later, None: ever; waits: for what those wait that go on, longest
    first."""
    rows = answers.rows(TABLE, reaching("ended_at", since) if since else None, COLUMNS)
    counts = {how: (col("outcome") == how).sum() for how in ("completed", "cancelled", *ENDS)}
    longest = col("total_ms").filter(col("outcome") == "completed").max()
    waits = (
        rows.filter(col("outcome") == "in_progress")
        .with_columns(brokers=col("waiting_broker_ids").list.sort())
        .group_by("waiting_for", "brokers")
        .agg(count=pl.len(), since_at=col("waiting_since_at").min())
        .sort("since_at", "waiting_for", "brokers")
    )
    return rows.select(longest_ms=longest, **counts).row(0, named=True) | {"waits": waits.to_dicts()}


def reassignment_lines(told: Row | None) -> list[str]:
    """One line; none where nothing was."""
    if not told:
        return []
    took = f", after {length_text(told['longest_ms'])} at most" if told["completed"] else ""
    parts = (
        (sum(one["count"] for one in told["waits"]), "open", waits_text(told["waits"])),
        *((told[how], words, "") for how, words in ENDS.items()),
        (told["cancelled"], "cancelled", ""),
        (told["completed"], "completed", took),
    )
    found = [f"{words} {count:,}{more}" for count, words, more in parts if count]
    return [f"REASSIGNMENTS {' | '.join(found)}", ""] if found else []


def waits_text(waits: list[Row]) -> str:
    said = [f"{one['count']:,} {wait_text(one)}" for one in waits[:SHOWN_WAITS]]
    left = sum(one["count"] for one in waits[SHOWN_WAITS:])
    return f" ({'; '.join([*said, *([f'{left:,} others'] if left else [])])})"


def wait_text(wait: Row) -> str:
    ids = wait["brokers"] or []
    brokers = f"broker{'s' if len(ids) > 1 else ''} {', '.join(str(one) for one in ids)}"
    said = WAITING[wait["waiting_for"]].format(brokers=brokers)
    return f"{said}, since {day_clock(wait['since_at'])}"
