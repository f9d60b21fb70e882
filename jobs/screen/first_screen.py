"""The first screen: verdict and findings first, then what was read, the state at the end, and where to go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from jobs.engine.run.request import RunRequest, RunResult
from jobs.layout import wrap_lines, wrap_text
from jobs.questions.changes.screen import change_glance, change_lines
from jobs.questions.finding_lines import screen_finding_lines
from jobs.questions.nodes import last_controller_text, release_text
from jobs.questions.outages import outage_lines
from jobs.questions.reassignments import reassignment_lines
from jobs.questions.topics import topic_summary_lines
from jobs.screen.facts import Facts, gather_facts
from jobs.screen.files_read import reading_glance, reading_lines
from jobs.screen.first_things import first_step_lines, loss_lines, now_lines
from jobs.screen.glance import course_lines, finding_glance
from jobs.screen.sections import screen_broker_lines, screen_move_lines, term_lines
from jobs.screen.verdict import undecided_lines, verdict_lines
from jobs.screen.where_next import where_next
from jobs.text import age_text, bounds_text, clock_text, logs_in, printable_line
from pipeline.core.clocks import day_clock
from pipeline.core.stored_tables import ReadableTables
from pipeline.views.reading.answers import Answers
from schemas.gold.finding import SEVERITIES

MOST_LINES = 40  # at a glance
HANG = 6


@dataclass(frozen=True)
class Screen:
    """The text, the severities of the findings that are new or ongoing, and what the verdict says."""

    text: str
    severities: tuple[str, ...]
    verdict: str = ""


def first_screen(
    tables: ReadableTables, folder: str, request: RunRequest, result: RunResult, *, is_detailed: bool = False
) -> Screen:
    """What one cluster's tables, which lie in the folder, say right after a run, its lock still held; nothing new is
    said in three lines."""
    if result.outcome == "nothing_new":
        said = f"nothing new; when last judged {standing_text(result.counts)}"
        return Screen(nothing_new(folder, request, result), standing_severities(result.counts), said)
    facts = gather_facts(Answers(request.cluster_id, tables), result.watermarks, result.before)
    then = where_next(request, folder, facts, is_detailed=is_detailed)
    return screen_of(facts, request, result, then, is_detailed=is_detailed)


def screen_of(
    facts: Facts,
    request: RunRequest,
    result: RunResult,
    then: Sequence[str],
    shown: Sequence[str] = (),
    *,
    is_detailed: bool = False,
) -> Screen:
    """then: where to go on; shown: what of it is shown, where that is not all. is_detailed: each finding whole and each
    part as a table, else at a glance."""
    judged = verdict_lines(facts, len(result.unread), is_judged=result.is_judged)
    verdict = [
        *wrap_lines(judged, 9),
        *(wrap_lines(undecided_lines(facts), 9) if result.is_judged else []),
        *wrap_lines(shown or window_lines(facts), 9),
    ]
    if is_detailed:
        parts = detailed_parts(facts, request, result, verdict)
    else:
        parts = glance_parts(facts, request, result, verdict, MOST_LINES - len(then))
    text = "\n".join(line for part in (*parts, then) for line in part)
    return Screen(text, standing_severities(result.counts), judged[0].removeprefix("VERDICT").strip())


def glance_parts(
    facts: Facts, request: RunRequest, result: RunResult, verdict: Sequence[str], most_lines: int
) -> list[Sequence[str]]:
    """As many findings as have room beside all else, each with as much of it as then has room. What people asked for is
    counted alone where there is none."""
    above = [
        *glance_heading(request, facts),
        *verdict,
        *wrap_lines(at_end(facts, shown_topics=0), 8),
        *now_lines(facts),
        *loss_lines(facts),
        *first_step_lines(facts),
        "",
    ]
    below = [*course_lines(facts), *facts.witness, *reading_glance(facts, result)]
    room = most_lines - len(above) - len(below)
    more = "changes" if request.warehouse else "--details"
    changes = change_glance(facts.changes, facts.read["last_at"], more)
    findings = finding_glance(facts, room - len(changes))
    if len(findings) + len(changes) > room:
        changes, findings = changes[:1], findings[:-1]
    return [above, findings, changes, below]


def detailed_parts(
    facts: Facts, request: RunRequest, result: RunResult, verdict: Sequence[str]
) -> list[Sequence[str]]:
    last = facts.read["last_at"]
    more = partial(show_all_command, request=request)
    return [
        screen_heading(request, facts),
        reading_lines(facts, result),
        wrap_lines(at_end(facts), 8),
        verdict,
        [""],
        change_lines(facts.changes, last, facts.since, more("changes")),
        screen_finding_lines(facts.findings, facts.lines, last, facts.since, more("findings")),
        term_lines(facts),
        outage_part(facts),
        topic_summary_lines(facts.topics),
        reassignment_lines(facts.reassignments),
        screen_broker_lines(facts),
        screen_move_lines(facts),
        [*facts.witness, ""] if facts.witness else [],
    ]


def show_all_command(command: str, request: RunRequest) -> str:
    """What tells all of it: where nothing is stored, the same command as JSON."""
    return command if request.warehouse else "--format json"


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
    return "\n".join(wrap_lines(lines, 9))


def screen_heading(request: RunRequest, facts: Facts) -> list[str]:
    name, data, zone = heading_texts(request, facts)
    if not data:
        return wrap_text(f"{name}  no time on any record", HANG)
    return [
        *wrap_text(f"{name}  {data}", HANG),
        *logs_in(facts.folder, HANG * " "),
        *wrap_text(f"{HANG * ' '}{zone}", HANG),
    ]


def glance_heading(request: RunRequest, facts: Facts) -> list[str]:
    name, data, zone = heading_texts(request, facts)
    told = (f"{name}  {zone}", data or "no time on any record")
    return [*wrap_lines(told, HANG), *logs_in(facts.folder, HANG * " ")]


def heading_texts(request: RunRequest, facts: Facts) -> tuple[str, str, str]:
    """Which cluster, from when to when its data are (empty: no record has a time), and in which zone its logs are."""
    read = facts.read
    mode = {"kraft": "KRaft", "zookeeper": "ZooKeeper"}.get(facts.mode or "", "mode unknown")
    release = f" {release_text(facts.releases, facts.releases_before, facts.mode)}" if facts.releases else ""
    nodes = ",".join(str(one) for one in read["nodes"]) or "unknown"
    origin = request.settings.source_of("zone")
    said = "no zone given" if origin == "defaults" else f"zone by {origin}"
    name = f"{request.cluster_id}  {mode}{release}  nodes {nodes}"
    zone = f"times in {', '.join(read['zones'])} ({said})"
    if not read["last_at"]:
        return name, "", zone
    first, last = read["first_at"], read["last_at"]
    end = clock_text(last) if first.date() == last.date() else day_clock(last)
    age = age_text(datetime.now(UTC) - last)
    return name, f"DATA {day_clock(first)} - {end} UTC (age {age})", zone


def at_end(facts: Facts, shown_topics: int = 3) -> list[str]:
    end, deleting = facts.at_end, facts.deleting
    if end is None:
        return []
    controller = last_controller_text(facts.terms, facts.findings, facts.in_office)
    named = printable_line(", ".join(deleting[:shown_topics]))
    topics = f" ({named})" if named else ""
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
