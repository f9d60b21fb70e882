"""What was read, what was not, and why."""

from jobs.engine.run.request import RunResult
from jobs.layout import wrap_lines
from jobs.questions.floods import flood_text
from jobs.screen.facts import Facts
from jobs.text import human_bytes, shorten_line
from pipeline.views.reading.log_folder import path_below

SHOWN_UNREAD = 5
HANG = 6
EXCERPT = "excerpt"  # of what is not_asked
STATES = {
    "held_back": "read but for a last record that may still grow",
    "outside": "outside of --since and --until",
    "not_asked": "not asked for (server.log: --server-log)",
    EXCERPT: "printed by grep out of another file",
    "not_kafka": "no Kafka log",
    "waiting": "empty or just begun",
    "unreadable": "UNREADABLE",
    "contradictory": "REFUSED: several writers, or another zone",
}


def reading_glance(facts: Facts, result: RunResult) -> list[str]:
    """How much was read, in a line, and what was not."""
    read = facts.read
    said = (
        f"READ    {read['files']} files, {human_bytes(read['bytes'])}, {read['records']:,} records, "
        f"{not_understood(facts):,} not understood"
    )
    return [*wrap_lines([said], HANG + 2), *not_read_lines(facts, result)]


def reading_lines(facts: Facts, result: RunResult) -> list[str]:
    read, unread, beside = facts.read, not_understood(facts), on_other_things(facts)
    others = f"  {beside:,} of server.log on other things" if beside else ""
    said = (
        f"READ  {read['files']} files  {human_bytes(read['bytes'])}  {read['records']:,} records"
        f"  {read['understood'] or 0:,} understood  {unread:,} not understood{others}"
        f"  ({result.counts.get('records', 0):,} new in this run)"
    )
    return [*wrap_lines([said], HANG + 4), *not_read_lines(facts, result)]


def on_other_things(facts: Facts) -> int:
    return sum(one["count"] for one in facts.reasons if one["is_beside"])


def not_understood(facts: Facts) -> int:
    """Records that tell of the controller, and of which it is not known what."""
    return int(facts.read["records"] or 0) - int(facts.read["understood"] or 0) - on_other_things(facts)


def not_read_lines(facts: Facts, result: RunResult) -> list[str]:
    """Why records were not understood, files not read, rows left out, and which nodes have another zone."""
    lines = []
    if not_understood(facts):
        told_why = [one for one in facts.reasons if not one["is_beside"]]
        reasons = ", ".join(f"{one['not_understood_reason']} {one['count']:,}" for one in told_why)
        lines.append(f"      not understood: {reasons}")
    lines += [f"      over and over: {flood_text(one)}" for one in facts.floods]
    excerpts = len(result.excerpts)
    counts = result.states | {"not_asked": result.states.get("not_asked", 0) - excerpts, EXCERPT: excerpts}
    skipped = [f"{counts[state]} {words}" for state, words in STATES.items() if counts.get(state)]
    if skipped:
        lines.append(f"      not read: {', '.join(skipped)}")
    lines += [
        f"        {shorten_line(path_below(path, facts.folder), 1000)}: {shorten_line(said, 600)}"
        for path, said in [*result.unread[:SHOWN_UNREAD], *result.excerpts[:SHOWN_UNREAD]]
    ]
    if len(result.unread) > SHOWN_UNREAD:
        lines.append(f"        {len(result.unread) - SHOWN_UNREAD} more in silver.log_gap (not_read)")
    lines += [f"      left out: {shorten_line(one, 160)} (ops.quality_result)" for one in result.left_out]
    lines += [f"      another zone: node {node_id}: {said}" for node_id, said in result.other_zones.items()]
    return wrap_lines(lines, HANG + 4)
