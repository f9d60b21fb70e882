"""Terms of controllers on the first screen, and all that is known of one of them."""

import argparse
from collections.abc import Mapping, Sequence

import polars as pl

from jobs.layout import format_table, wrap_text
from jobs.questions.ask import require_tables
from jobs.questions.reasons import reason_text
from jobs.questions.term_events import slowest_event_lines, slowest_events
from jobs.questions.term_gaps import CLOCKS_MS, gap_text
from jobs.text import (
    clock_by,
    epoch_text,
    format_count,
    logs_in,
    printable_lines,
    shorten_line,
)
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import column_equals
from pipeline.core.errors import InputProblem
from pipeline.gold.controller_term.own import STARTUP
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.log_folder import folder_of
from pipeline.views.reading.rows import Row

TABLE = "gold.controller_term"
WIDTH = 1000  # of a sentence, and of what is shown of a line
HANG = 12
UNSURE_MS = 5_000  # and for less than that it may be
NAMES = (
    "election_reason",
    "elected",
    "ready",
    "fenced",
    "wrote_after",
    "first_sign",
    "ended",
    "registration",
    "reason",
    "next_elected",
)
HELD = {
    "first_start": "no controller was there before it",
    "process_start": "nobody was there that could have been elected, until a node started",
    "shutdown": "because {last} was shut down",
    "process_end": "because the process of {last} had ended",
    "session_expired": "because the session of {last} had expired; it lived on",
    "fetch_timeout": "because nothing was heard of {last}; it lived on",
    "znode_gone": "because /controller was deleted or rewritten",
    "resigned": "because {last} had resigned",
}
CAME_TO = {
    "resignation_tail": "it only resigned",
    "zombie_harmless": "nothing of it took effect",
    "zombie_talked": "it sent requests to brokers",
    "zombie_wrote": "the next one did not know of it",
}


def show_term(given: argparse.Namespace, answers: Answers) -> list[str]:
    require_tables(answers, TABLE)
    rows = answers.terms_and_clocks()
    row = choose_term(given.term, rows)
    place = rows.index(row)
    following = rows[place + 1 :]
    before = [one for one in rows[:place] if (one["mode"], one["life"]) == (row["mode"], row["life"])]
    findings = answers.findings() if answers.has("gold.finding") else []
    places = [place for name in NAMES for place in row["lines"].get(name, ())]
    told = [
        f"{answers.cluster_id}  term {row['term_id']}: controller {row['controller_id']}, "
        f"{epoch_text(row['controller_epoch'])}  ({row['mode']}, {row['certainty']})  times are UTC",
        *life_lines(row, following[0] if following else None, before[-1] if before else None),
        *after_lines(row),
        *term_finding_lines(row, findings),
    ]
    return [
        *(line for one in told for line in wrap_text(one, HANG)),
        *term_step_lines(row),
        *asked_move_lines(asked_moves(row["term_id"], answers)),
        *slowest_event_lines(slowest_events(row["term_id"], answers)),
        "",
        *logs_in(folder_of(answers.segments["path"]), "  "),
        *term_record_lines(row, answers.lines(places)),
    ]


def choose_term(name: str, rows: Sequence[Row]) -> Row:
    """The newest term of that epoch, or the one of that term_id. InputProblem: there is none."""
    found = [row for row in rows if name in (row["term_id"], str(row["controller_epoch"]))]
    if found:
        return found[-1]
    known = ", ".join(row["term_id"] for row in rows[-8:])
    raise InputProblem(
        expected=f"a term {shorten_line(name, 40)}",
        found=f"the terms {known}" if rows else "no line of a controller in office",
        todo="take one of the first screen's TERM lines, or of 'terms'",
    )


def asked_moves(term_id: str, answers: Answers) -> list[Row]:
    """How many moves of a term each method of Kafka's asked for; trigger null: no method is known."""
    if not answers.has("gold.transition_audit"):
        return []
    moves = answers.rows("gold.transition_audit", column_equals("term_id", term_id), ("machine", "trigger"))
    counts = moves.group_by("machine", "trigger").agg(moves=pl.len())
    return counts.sort("moves", "machine", "trigger", descending=[True, False, False]).to_dicts()


def life_lines(row: Row, following: Row | None, before: Row | None = None) -> list[str]:
    elected = day_clock(row["elected_at"]) if row["elected_at"] else "no line of it was read"
    version = row["epoch_zk_version"]
    zk = f"  (version {version} of /controller_epoch)" if version is not None else ""
    lines = [f"  ELECTED   {elected}{zk}"]
    if held := HELD.get(row.get("election_reason") or ""):
        last = f"controller {before['controller_id']}" if before else "the last one"
        lines.append(f"  HELD      {held.format(last=last)}")
    if row["ready_at"]:
        serving = f", serving {clock_by(row['serving_at'], row['ready_at'])}" if row["serving_at"] else ""
        lines.append(
            f"  READY     {clock_by(row['ready_at'], row['elected_at'])}, {row['ready_ms']} ms after{serving}"
        )
    elif row["last_step"]:
        lines.append(f"  READY     never; the last step begun was {spaced_words(row['last_step'])}")
    lines.append(f"  ENDED     {ended_text(row)}")
    if why := reason_text(row, row["controller_id"]):
        lines.append(f"  WHY       {why}")
    if following:
        lines.append(
            f"  NEXT      {day_clock(row['superseded_at'])}  controller {following['controller_id']}, term "
            f"{following['term_id']}{gap_text(row)}"
        )
    return lines


def asked_move_lines(counts: Sequence[Row]) -> list[str]:
    cells = [(one["trigger"] or "not known", one["machine"], f"{one['moves']:>6,}") for one in counts]
    return (
        ["", *(f"  {line}" for line in format_table(("ASKED FOR BY", "moves of a", ""), cells))]
        if cells
        else []
    )


def ended_text(row: Row) -> str:
    if row["ended_how"] == "open":
        return f"not yet; last line {day_clock(row['last_act_at'])}"
    how = spaced_words(row["ended_how"] or "not known how")
    resigned = f", resigned {clock_by(row['resigned_at'], row['ended_at'])}" if row["resigned_at"] else ""
    return f"{day_clock(row['ended_at'])}  {how}{resigned}" if row["ended_at"] else how


def is_by_clocks(row: Row) -> bool:
    """Whether two at once are told of it that there may not have been, if the clocks of the two nodes are apart."""
    return row["mode"] != "kraft" and CLOCKS_MS <= -(row["gap_ms"] or 0) < UNSURE_MS


def after_lines(row: Row) -> list[str]:
    lines = []
    if row["acts_after_count"] or (row["gap_ms"] or 0) < 0:
        writes = row["writes_after_count"]
        wrote = (
            "whether it wrote is not known" if writes is None else f"{format_count(writes, 'leader')} written"
        )
        came_to = CAME_TO.get(row["overlap"], "what it came to is not known")
        lines.append(
            f"  AFTER     {format_count(row['acts_after_count'] or 0, 'line')} once the next was elected, "
            f"{wrote}: {came_to}"
        )
    if row["refused_count"]:
        lines.append(f"  REFUSED   {row['refused_count']} of its requests, as of a controller of the past")
    if row["fenced_from_at"]:
        since_at, until_at = row["fenced_from_at"], row["fenced_until_at"]
        until = clock_by(until_at, since_at) if until_at else "now"
        lines.append(
            f"  FENCED    {clock_by(since_at, row['superseded_at'])} to {until}: ZooKeeper refused its writes "
            f"({format_count(row['fenced_count'], 'line')})"
        )
    return lines


def term_finding_lines(row: Row, findings: Sequence[Row]) -> list[str]:
    numbered = ((f"F{number}", one) for number, one in enumerate(findings, 1))
    return [
        f"  FINDING   {shorten_line(number + ' ' + one['sentence'], WIDTH)}"
        for number, one in numbered
        if one["term_id"] == row["term_id"]
    ]


def term_step_lines(row: Row) -> list[str]:
    steps = row["steps"] or {}
    if not steps:
        return []
    cells = [(spaced_words(step), f"{steps[step]:>6,} ms") for step in STARTUP if step in steps]
    return ["", *(f"  {line}" for line in format_table(("STEP", "until the next"), cells))]


def term_record_lines(row: Row, lines_of: Mapping[tuple[str, int], Row]) -> list[str]:
    shown = []
    for name in NAMES:
        for place in row["lines"].get(name, ()):
            found = lines_of.get((place["file_id"], place["byte_offset"]))
            if found is None or found["raw"] is None:
                shown.append(f"  {spaced_words(name)}: its text is not kept")
                continue
            shown.append(f"  {spaced_words(name)}  {shorten_line(found['near'], 1000)}:{found['line']}")
            shown.append(f"    {printable_lines(bytes(found['raw']), 1, WIDTH)[0]}")
    return shown


def spaced_words(name: str) -> str:
    return name.replace("_", " ")
