"""Reassignments that go on, and how those of late ended, counted for the first screen."""

from datetime import datetime, timedelta

import polars as pl
from polars import col

from jobs.layout import wrap_text
from jobs.text import length_text
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import all_conditions, column_equals, column_reaching
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

TABLE = "gold.reassignment"
EVENTS = "silver.reassignment_event"
COLUMNS = (
    *("started_at", "ended_at", "total_ms", "outcome", "reason", "form", "certainty"),
    *("waiting_for", "waiting_broker_ids", "waiting_since_at"),
)
SOON = timedelta(seconds=1)
SHOWN_WAITS = 3
ENDS = {
    **{one: one for one in ("failed", "forgotten", "skipped", "refused", "overridden", "cancelled")},
    "topic_deleted": "ended with the topic",
    "wiped": "gone with the metadata",
    "lines_missing": "end not told",
}
REFUSED = (col("outcome") == "failed") & (col("reason") == "rejected")
WAITING = {
    "controller_powerless": "for a controller, {brokers} can write nothing",
    "quorum_lost": "for a leader of the quorum",
    "no_leader": "for a leader of their own",
    "adding_and_removing": "for ever, {brokers} added and removed at once",
    "broker_gone": "for {brokers}, gone",
    "broker_lagging": "for {brokers} to catch up",
    "unknown": "for what no line says",
}


def reassignments_of(answers: Answers, since: datetime | None) -> Row:
    """Counts of those that ended at that time or later, None: ever; waits: for what those wait that go on, longest
    first."""
    rows = answers.rows(TABLE, column_reaching("ended_at", since) if since else None, COLUMNS)
    how = pl.when(REFUSED.fill_null(value=False)).then(pl.lit("refused")).otherwise("outcome")
    counts = {one: (how == one).sum() for one in ("completed", *ENDS)}
    longest = col("total_ms").filter(col("outcome") == "completed").max()
    is_open, is_in_doubt = col("outcome") == "in_progress", col("certainty") == "undetermined"
    waits = (
        rows.filter(is_open & ~is_in_doubt)
        .with_columns(brokers=col("waiting_broker_ids").list.sort())
        .group_by("waiting_for", "brokers")
        .agg(count=pl.len(), since_at=col("waiting_since_at").min())
        .sort("since_at", "waiting_for", "brokers")
    )
    doubtful = (is_open & is_in_doubt).sum()
    told = rows.select(longest_ms=longest, doubtful=doubtful, **counts).row(0, named=True)
    return told | {"waits": waits.to_dicts(), "unseen": unseen_count(answers, rows, since)}


def unseen_count(answers: Answers, rows: pl.DataFrame, since: datetime | None) -> int:
    """How many partitions at most KRaft controllers changed in one step, of which no line tells: requests that they
    accepted for which none begins or is called off. One that asks for what is there already is accepted, too.

    Source: ReplicationControlManager.alterPartitionReassignments, from 2.8.
    """
    is_accepted = all_conditions(
        column_equals("step", "accepted"), column_reaching("logged_at", since) if since else None
    )
    lines = answers.rows(EVENTS, is_accepted, ("logged_at", "accepted_count")).drop_nulls().sort("logged_at")
    lines = lines.with_row_index("line")
    own = rows.filter(col("form") == "kraft", col("outcome") != "failed")
    called_off = own.filter(col("outcome") == "cancelled").select(at="ended_at")
    changes = pl.concat([own.select(at="started_at"), called_off]).drop_nulls().sort("at")
    seen = (
        changes.join_asof(lines, left_on="at", right_on="logged_at", strategy="nearest", tolerance=SOON)
        .drop_nulls("line")
        .group_by("line")
        .agg(seen=pl.len())
    )
    left = col("accepted_count") - col("seen").fill_null(0)
    return int(lines.join(seen, on="line", how="left").select(left.clip(lower_bound=0).sum()).item())


def reassignment_lines(told: Row | None) -> list[str]:
    """One line; none where nothing was."""
    if not told:
        return []
    took = f", after {length_text(told['longest_ms'])} at most" if told["completed"] else ""
    parts = (
        (sum(one["count"] for one in told["waits"]), "open", waits_text(told["waits"])),
        (told["doubtful"], "perhaps open", " (lines of a later controller are missing)"),
        *((told[how], words, "") for how, words in ENDS.items()),
        (told["completed"], "completed", took),
    )
    found = [f"{words} {count:,}{more}" for count, words, more in parts if count]
    if told["unseen"]:
        found.append(f"unseen up to {told['unseen']:,} (done in one step: another order, a replica less)")
    return [*wrap_text(f"REASSIGNMENTS {' | '.join(found)}"), ""] if found else []


def waits_text(waits: list[Row]) -> str:
    said = [f"{one['count']:,} {wait_text(one)}" for one in waits[:SHOWN_WAITS]]
    left = sum(one["count"] for one in waits[SHOWN_WAITS:])
    return f" ({'; '.join([*said, *([f'{left:,} others'] if left else [])])})"


def wait_text(wait: Row) -> str:
    ids = wait["brokers"] or []
    named = f"broker{'s' if len(ids) > 1 else ''} {', '.join(str(one) for one in ids)}"
    brokers = named if ids else "a broker"
    said = WAITING[wait["waiting_for"]].format(brokers=brokers)
    return f"{said}, since {day_clock(wait['since_at'])}"
