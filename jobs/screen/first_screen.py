"""The first screen: verdict and findings first, then what was read, the state at the end, and where to go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from jobs.engine.run.request import RunRequest, RunResult
from jobs.layout import wrap_text
from jobs.questions.changes.screen import change_lines
from jobs.questions.finding_lines import screen_finding_lines
from jobs.questions.floods import flood_text
from jobs.questions.nodes import last_controller_text, release_text
from jobs.questions.outages import outage_lines
from jobs.questions.reassignments import reassignment_lines
from jobs.questions.topics import topic_summary_lines
from jobs.screen.facts import Facts, gather_facts
from jobs.screen.sections import screen_broker_lines, screen_move_lines, term_lines
from jobs.screen.verdict import undecided_lines, verdict_lines
from jobs.screen.where_next import where_next
from jobs.text import age_text, bounds_text, clock_text, human_bytes, logs_in, printable_line, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.core.stored_tables import ReadableTables
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.log_folder import path_below
from schemas.gold.finding import SEVERITIES

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


@dataclass(frozen=True)
class Screen:
    """The text, the severities of the findings that are new or ongoing, and what the verdict says."""

    text: str
    severities: tuple[str, ...]
    verdict: str = ""


def first_screen(tables: ReadableTables, folder: str, request: RunRequest, result: RunResult) -> Screen:
    """What one cluster's tables, which lie in the folder, say right after a run, its lock still held; nothing new is
    said in three lines."""
    if result.outcome == "nothing_new":
        said = f"nothing new; when last judged {standing_text(result.counts)}"
        return Screen(nothing_new(folder, request, result), standing_severities(result.counts), said)
    facts = gather_facts(Answers(request.cluster_id, tables), result.watermarks, result.before)
    return screen_of(facts, request, result, where_next(request, folder, facts))


def screen_of(
    facts: Facts, request: RunRequest, result: RunResult, then: Sequence[str], shown: Sequence[str] = ()
) -> Screen:
    """then: where to go on; shown: what of it is shown, where that is not all."""
    judged = verdict_lines(facts, len(result.unread), is_judged=result.is_judged)
    parts: list[Sequence[str]] = [
        screen_heading(request, facts),
        reading_lines(facts, result),
        fit_lines(at_end(facts), 8),
        fit_lines(judged, 9),
        fit_lines(undecided_lines(facts), 9) if result.is_judged else [],
        fit_lines(shown or window_lines(facts), 9),
        [""],
        change_lines(facts.changes, facts.read["last_at"], facts.since, show_all_command("changes", request)),
        screen_finding_lines(
            facts.findings,
            facts.lines,
            facts.read["last_at"],
            facts.since,
            show_all_command("findings", request),
        ),
        term_lines(facts),
        outage_part(facts),
        topic_summary_lines(facts.topics),
        reassignment_lines(facts.reassignments),
        screen_broker_lines(facts),
        screen_move_lines(facts),
        then,
    ]
    text = "\n".join(line for part in parts for line in part)
    return Screen(text, standing_severities(result.counts), judged[0].removeprefix("VERDICT").strip())


def show_all_command(command: str, request: RunRequest) -> str:
    """What tells all of it: where nothing is stored, the same command as JSON."""
    return command if request.warehouse else "--format json"


def fit_lines(lines: Sequence[str], hang: int) -> list[str]:
    return [line for one in lines for line in wrap_text(one, hang)]


def standing_severities(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Severities of the findings that are new or ongoing, as the run counted them."""
    return tuple(one for one in SEVERITIES if counts.get(f"findings:{one}"))


def standing_text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts.get(f'findings:{one}', 0)} {one}" for one in SEVERITIES)


def nothing_new(folder: str, request: RunRequest, result: RunResult) -> str:
    lines = [
        f"{request.cluster_id}  NOTHING NEW in {sum(result.states.values())} files"
        f"; published stays what was, as run {result.run_id}",
        f"FINDINGS new or ongoing when last judged: {standing_text(result.counts)}",
        f"TABLES   {folder}/<layer>/<table>",
    ]
    return "\n".join(fit_lines(lines, 9))


def screen_heading(request: RunRequest, facts: Facts) -> list[str]:
    read = facts.read
    mode = {"kraft": "KRaft", "zookeeper": "ZooKeeper"}.get(facts.mode or "", "mode unknown")
    release = f" {release_text(facts.releases, facts.releases_before, facts.mode)}" if facts.releases else ""
    nodes = ",".join(str(one) for one in read["nodes"]) or "unknown"
    zones = ", ".join(read["zones"])
    origin = request.settings.source_of("zone")
    said = "no zone given" if origin == "defaults" else f"zone by {origin}"
    if not read["last_at"]:
        return wrap_text(f"{request.cluster_id}  {mode}{release}  nodes {nodes}  no time on any record", HANG)
    first, last = read["first_at"], read["last_at"]
    age = age_text(datetime.now(UTC) - last)
    end = clock_text(last) if first.date() == last.date() else day_clock(last)
    span = f"{day_clock(first)} - {end} UTC (age {age})"
    return [
        *wrap_text(f"{request.cluster_id}  {mode}{release}  nodes {nodes}  DATA {span}", HANG),
        *logs_in(facts.folder, HANG * " "),
        *wrap_text(f"{HANG * ' '}times in {zones} ({said})", HANG),
    ]


def reading_lines(facts: Facts, result: RunResult) -> list[str]:
    read = facts.read
    understood, records = int(read["understood"] or 0), int(read["records"] or 0)
    new = result.counts.get("records", 0)
    beside = sum(one["count"] for one in facts.reasons if one["is_beside"])
    others = f"  {beside:,} of server.log on other things" if beside else ""
    unread = records - understood - beside
    lines = [
        f"READ  {read['files']} files  {human_bytes(read['bytes'])}  {records:,} records"
        f"  {understood:,} understood  {unread:,} not understood{others}  ({new:,} new in this run)"
    ]
    if unread:
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
    return fit_lines(lines, HANG + 4)


def at_end(facts: Facts) -> list[str]:
    end, deleting = facts.at_end, facts.deleting
    if end is None:
        return []
    controller = last_controller_text(facts.terms, facts.findings, facts.in_office)
    topics = f" ({printable_line(', '.join(deleting[:3]))})" if deleting else ""
    unknown = f" | not known {end['unknown']}" if end["unknown"] else ""
    if not end["partitions"]:
        return [f"AT END  partitions: not enough evidence | controller {controller}"]
    count = end["partitions"]
    offline = bounds_text(end["offline"], end["service_unknown"], count)
    elsewhere = bounds_text(end["elsewhere"], end["unknown"], count)
    queued = "?" if not (facts.untold.is_end_read or deleting) else len(deleting)
    return [
        f"AT END  offline {offline} | not preferred {elsewhere}/{count}{unknown}"
        f" | deleting {queued}{topics} | controller {controller}"
    ]


def window_lines(facts: Facts) -> list[str]:
    """What is over by the first record that this run brought is counted, and not shown."""
    if facts.since is None:
        return []
    return [
        f"SINCE    {day_clock(facts.since)} UTC, the first new record; what was over by then is in the tables"
    ]


def outage_part(facts: Facts) -> list[str]:
    if facts.outages is None:
        return []
    unknown = facts.at_end["service_unknown"] if facts.at_end else 0
    told = replace(facts.outages, untold=facts.beyond or facts.untold.leaders, unknown=unknown)
    return [*outage_lines(told), ""]
