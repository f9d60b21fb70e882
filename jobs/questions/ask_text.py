"""How the answers of the follow-up commands stand on a terminal."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from jobs.layout import format_table, wrap_text
from jobs.questions.broker_text import leads_text, ratio_texts
from jobs.text import (
    clock_by,
    clock_text,
    command_to_see,
    format_count,
    gap_length_text,
    list_text,
    logs_in,
    number_text,
    printable_lines,
    shorten_line,
)
from pipeline.core.clocks import day_clock
from pipeline.store.runs.published import KEPT_FROM
from pipeline.views.reading.in_doubt import is_in_doubt
from pipeline.views.reading.rows import Row

# A member of an archive, or what was piped in.
IN_ANOTHER = re.compile(r"^stdin(?:!|$)|\.(?:tar|tgz|tzst|zip|gz|zst)!")
LEADS_AND_CACHED = (
    "leads = serves now; cached = is the leader in the controller's cache, in which a dead broker stays"
)
NOTHING = "BROKER  leader imbalance: not enough evidence"
HIGH_IS_FEW = "high = leads too FEW of what it should; breach: ratio > limit, strictly"
WITHOUT_LIMIT = "high = leads too FEW of what it should; no limit: no breach is judged"
SAID_BY = {"default": "Kafka's default", "asked": "--threshold"}
KRAFT_NOTE = "KRaft controllers never read leader.imbalance.per.broker.percentage"


def finding_heading(number: int, finding: Row, folder: str) -> list[str]:
    """folder: that all logs lie in."""
    until = f"until {day_clock(finding['valid_until_at'])} UTC" if finding["valid_until_at"] else "still OPEN"
    return [
        *wrap_text(f"{finding['severity'].upper()} F{number}  {shorten_line(finding['sentence'], 1000)}"),
        *wrap_text(
            f"  {finding['certainty']}, {finding['status']}; rule {finding['rule']}; id {finding['finding_id']}"
        ),
        f"  from {day_clock(finding['valid_from_at'])} UTC {until}",
        f"  EVIDENCE  {format_count(len(finding['evidence']), 'record')}",
        *logs_in(folder, "  "),
    ]


def evidence_lines(evidence: Sequence[Row], lines_of: Mapping[tuple[str, int], Row]) -> list[str]:
    """Each record with path, line number, text, and the command that shows it, where it is in a file of its own."""
    shown: list[str] = []
    for place in evidence:
        found = lines_of.get((place["file_id"], place["byte_offset"]))
        if found is None or found["raw"] is None:
            shown.append(f"  file {place['file_id']}, byte {place['byte_offset']}: its text is not kept")
            continue
        raw = bytes(found["raw"])
        path = shorten_line(found["path"], 1000)
        near = shorten_line(found["near"], 1000)
        shown += [f"  {near}:{found['line']}", *(f"    {line}" for line in printable_lines(raw))]
        if path == found["path"] and not IN_ANOTHER.search(path):
            line_count = raw.count(b"\n")
            shown.append(f"    $ {command_to_see(path, found['line'], line_count)}")
    return shown


def timeline_table(rows: Sequence[Row], last: datetime | None = None) -> list[str]:
    """The intervals of a partition, in parts where its leader left or came back; the life of its topic is told where
    there is more than one. A question mark behind a value: it may have changed unseen. last: begins of its day are told
    without the day."""
    has_lives = len({row["topic_life"] for row in rows}) > 1
    head = ("FROM", "until", "state", "leader", "served", "isr", "replicas", "epoch", "ended by")
    cells = [
        (
            clock_by(row["valid_from_at"], last),
            end_text(row["valid_until_at"], row["valid_from_at"]),
            row["state"] or "?",
            mark_doubted(leader_text(row["leader"]), is_doubted=is_in_doubt(row)),
            served_text(row),
            mark_doubted(list_text(row["isr"]), is_doubted=is_in_doubt(row) or row["is_isr_stale"]),
            mark_doubted(
                list_text(row["replicas"]), is_doubted=is_in_doubt(row) or row["is_assignment_stale"]
            ),
            "?" if row["leader_epoch"] is None else str(row["leader_epoch"]),
            row["ended_by"] or "",
        )
        for row in rows
    ]
    if not has_lives:
        return format_table(head, cells)
    return format_table(
        ("LIFE", *head), [(str(row["topic_life"]), *cell) for row, cell in zip(rows, cells, strict=True)]
    )


def leader_text(leader: int | None) -> str:
    return "?" if leader is None else "none" if leader == -1 else str(leader)


def served_text(row: Row) -> str:
    """Whether its leader serves it; if not, why."""
    if row["is_served"] is None:
        return "-" if row["is_deleting"] else "?"
    return "yes" if row["is_served"] else f"NO: {row['unserved_why'].replace('_', ' ')}"


def mark_doubted(text: str, *, is_doubted: bool | None) -> str:
    return f"{text}?" if is_doubted and text != "?" else text


def end_text(until: datetime | None, start: datetime) -> str:
    if until is None:
        return "(open)"
    return clock_text(until) if until.date() == start.date() else day_clock(until)


def broker_table(brokers: Sequence[Row]) -> list[str]:
    """One line a broker, and how to read the ratio."""
    if not brokers:
        return [NOTHING]
    rows = [
        (
            str(one["broker_id"]),
            *leads_text(one),
            *ratio_texts(one),
            "" if one["certainty"] != "undetermined" else "undetermined: the beginning is missing",
        )
        for one in brokers
    ]
    head = ("BROKER", "leads", "cached", "preferred", "elsewhere", "ratio", "limit", "", "")
    return [*format_table(head, rows), *ratio_notes(brokers)]


def ratio_notes(brokers: Sequence[Row]) -> list[str]:
    """How the columns of a table of brokers are to be read."""
    notes = (*cache_note(brokers), *limit_notes(brokers))
    return [line for one in notes for line in wrap_text(f"  {one}")]


def cache_note(brokers: Sequence[Row]) -> list[str]:
    """Where the two counts differ, what each is."""
    is_differing = any(leads != cached for leads, cached in map(leads_text, brokers))
    return [LEADS_AND_CACHED] if is_differing else []


def limit_notes(brokers: Sequence[Row]) -> list[str]:
    """How to read the ratio, who says the limit, and what controllers do that read none (limit_source null)."""
    judged = [one for one in brokers if one["imbalance_ratio"] is not None or one.get("certainty")]
    has_limit = any(one["threshold_ratio"] is not None for one in judged)
    by_source: dict[str | None, list[str]] = {}
    for one in judged:
        by_source.setdefault(one.get("limit_source"), []).append(str(one["broker_id"]))
    named = [
        f"{SAID_BY.get(source, source)} ({', '.join(ids)})"
        if len(by_source) > 1
        else SAID_BY.get(source, source)
        for source, ids in by_source.items()
        if source is not None
    ]
    notes = [HIGH_IS_FEW if has_limit else WITHOUT_LIMIT]
    if named:
        notes.append(f"limit by {', '.join(named)}")
    # A run of an older release published neither.
    settings = [one for one in judged if one.get("check_interval_seconds")]
    if settings and not named:
        notes += kraft_notes(settings)
    elif any(not one["is_auto_rebalance_enabled"] for one in settings):
        notes.append("auto.leader.rebalance.enable=false: nothing moves leaders back")
    return notes


def kraft_notes(brokers: Sequence[Row]) -> list[str]:
    seconds = sorted({one["check_interval_seconds"] for one in brokers})
    told = ", ".join(map(str, seconds))
    moved = "from 3.2 on they move leaders back at every check, whatever the ratio"
    moved += f" (leader.imbalance.check.interval.seconds = {told})"
    is_off = any(one["is_auto_rebalance_enabled"] is False for one in brokers)
    return [KRAFT_NOTE, moved, *(["not here: auto.leader.rebalance.enable=false"] if is_off else [])]


def term_table(terms: Sequence[Row]) -> list[str]:
    """One line a tenure of a controller."""
    rows = [
        (
            one["term_id"],
            str(one["controller_id"]),
            number_text(one["controller_epoch"]),
            day_clock(one["elected_at"]) if one["elected_at"] else "not seen",
            (one.get("election_reason") or "not known").replace("_", " "),
            f"{one['ready_ms']} ms" if one["ready_ms"] is not None else "-",
            day_clock(one["ended_at"]) if one["ended_at"] else "-",
            (one["ended_how"] or ("resigned" if one["resigned_at"] else "not known")).replace("_", " "),
            gap_length_text(one["gap_ms"]),
            one["certainty"],
        )
        for one in terms
    ]
    head = (
        "TERM",
        "controller",
        "epoch",
        "elected",
        "why elected",
        "ready",
        "ended",
        "how",
        "next after",
        "certainty",
    )
    return format_table(head, rows)


def run_table(runs: Sequence[Row]) -> list[str]:
    """One line a run, the newest first, with the records that were new; what maintain has removed is gone."""
    kept_from = runs[0]["counts"].get(KEPT_FROM, 0) if runs else 0
    rows = [
        (
            one["run_id"],
            one["job"],
            day_clock(one["ended_at"]),
            one["outcome"].replace("_", " "),
            f"{one['counts'].get('records', 0):,}",
            "" if one["run_seq"] >= kept_from else "gone",
            shorten_line(one["sentence"] or "", 200),
        )
        for one in runs
    ]
    return format_table(("RUN", "job", "ended", "outcome", "records", "", ""), rows)
