"""Why brokers left and terms ended, in words; where it is not known, which log would tell."""

from collections.abc import Sequence

from jobs.layout import format_table
from jobs.text import clock_by, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.views.reading.rows import Row
from schemas.end_reasons import (
    CLEAN,
    DISK,
    FAULT,
    KILLED,
    LIVED_ON,
    MAJORITY,
    MISSING,
    NO_LOG,
    NOT_BACK,
    SESSION,
    SIGNALLED,
    START,
    STOPPED,
)

SHORT = {
    SIGNALLED: "told to stop",
    KILLED: "killed or crashed",
    SESSION: "frozen or cut off",
    MAJORITY: "lost its majority",
    DISK: "log directories failed",
    START: "start failed",
    FAULT: "fatal fault",
}
UNKNOWN = {
    NO_LOG: "not known: server.log of node {node} of that time would tell",
    NOT_BACK: "not known: server.log of its next start would tell",
    MISSING: "not known: lines of node {node} are missing",
    STOPPED: "it stopped by itself: no signal and no error is in server.log",
    CLEAN: "not known: its log directories were shut down in order, the lines of that are missing",
    LIVED_ON: "not known: its process went on, and does not say that it lost its session",
}
# What a term's ended_how says already.
SAID = {"crashed": KILLED, "shutdown": SIGNALLED, "session_expired": SESSION}
SHOWN, WIDTH = 10, 100
# The time that stands before it, of a stay and of a term.
PRINTED = ("left_at", "ended_at", "superseded_at")


def reason_text(row: Row, node: int) -> str:
    """Empty: it is still there, or not asked for."""
    reason, detail = row.get("end_reason"), row.get("end_detail")
    if reason is None:
        return ""
    if reason not in SHORT:
        return UNKNOWN.get(row["end_unknown_why"], "not known").format(node=node)
    sign_at, at = row["first_sign_at"], row["end_reason_at"]
    told_at = next((row[name] for name in PRINTED if row.get(name)), None)
    sign = f"first sign {clock_by(sign_at, told_at)}, " if sign_at and sign_at != at else ""
    said = f" ({shorten_line(detail, 60)})" if detail else ""
    how = {KILLED: "started again", SESSION: "went on"}.get(reason, "at")
    return f"{SHORT[reason]}{said}: {sign}{how} {clock_by(at, told_at)}"


def short_reason(row: Row) -> str:
    """Behind how a term ended, if that does not say it: ', told to stop'."""
    reason = row.get("end_reason")
    is_said = SAID.get(row["ended_how"] or "") == reason
    return f", {SHORT[reason]}" if reason in SHORT and not is_said else ""


def departure_table(rows: Sequence[Row]) -> list[str]:
    """The last departures of brokers, the latest first; rows: of gold.broker_session that ended."""
    left = sorted(rows, key=lambda row: (row["left_at"], row["broker_id"]), reverse=True)
    shown = left[:SHOWN]
    is_read = any(row["end_unknown_why"] != NO_LOG for row in shown)
    cells = [
        (
            day_clock(row["left_at"]),
            str(row["broker_id"]),
            row["left_how"].replace("_", " "),
            shorten_line(reason_text(row, row["broker_id"]), WIDTH) if is_read else "?",
        )
        for row in shown
    ]
    notes = [] if is_read else ["  why: server.log of these brokers would tell (nightly --server-log)"]
    more = [f"  {len(left) - SHOWN} more, earlier, in gold.broker_session"] if len(left) > SHOWN else []
    return ["", *format_table(("LEFT", "broker", "how", "why"), cells), *notes, *more] if cells else []
