"""The first screen: verdict and findings first, then what was read, the state at the end, and where to go on."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from jobs.answers import Answers, Row
from jobs.run import RunRequest, RunResult
from jobs.text import clock, day_clock, human_bytes, ratio_text, shortened, table
from pipeline.store.warehouse import ClusterWarehouse

SEVERITY = {"critical": "CRIT", "warning": "WARN", "info": "INFO"}
AT_ONCE = 4
SHOWN_FINDINGS = 12
SHOWN_MOVES = 8
STATES = {
    "not_asked": "not asked for (server.log: --server-log)",
    "not_kafka": "no Kafka log",
    "waiting": "empty or just begun",
    "unreadable": "UNREADABLE",
    "contradictory": "REFUSED: several writers",
}


@dataclass(frozen=True)
class Screen:
    """The text, and the severities of the findings that are not resolved or that are new."""

    text: str
    severities: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """What the tables answered, asked side by side: each question is a small job of its own."""

    read: Row
    reasons: list[Row]
    level: Row | None
    terms: list[Row]
    findings: list[Row]
    at_end: Row | None
    deleting: list[str]
    brokers: list[Row] | None
    moves: dict[str, int] | None
    odd_moves: list[Row]
    lines: dict[tuple[str, int], Row]


def gather(answers: Answers) -> Facts:
    asked: dict[str, Callable[[], Any]] = {
        "read": answers.read,
        "reasons": answers.reasons,
        "level": answers.level,
        "terms": answers.terms if answers.has("gold.controller_term") else list,
        "findings": answers.findings if answers.has("gold.finding") else list,
        "at_end": answers.partitions_at_end if answers.has("gold.partition_timeline") else none,
        "deleting": answers.deleting,
        "brokers": answers.brokers if answers.has("gold.leader_imbalance") else none,
        "moves": answers.moves if answers.has("gold.transition_audit") else none,
        "odd_moves": partial(answers.odd_moves, SHOWN_MOVES)
        if answers.has("gold.transition_audit")
        else list,
    }
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {name: pool.submit(ask) for name, ask in asked.items()}
        found = {name: future.result() for name, future in futures.items()}
    places = [one["evidence"][0] for one in found["findings"][:SHOWN_FINDINGS] if one["evidence"]]
    return Facts(**found, lines=answers.lines([*places, *found["odd_moves"]]))


def none() -> None:
    return None


def first_screen(store: ClusterWarehouse, request: RunRequest, result: RunResult) -> Screen:
    """What one cluster's tables say right after a run, its lock still held; nothing new is said in three lines."""
    answers = Answers(store, result.versions, is_locked=True)
    if result.outcome == "nothing_new":
        findings = answers.findings() if answers.has("gold.finding") else []
        return Screen(nothing_new(answers, request, result, findings), severities(findings))
    facts = gather(answers)
    parts = [
        heading(request, facts),
        reading(facts, result),
        at_end(facts),
        verdict(facts),
        [""],
        finding_lines(facts),
        term_lines(facts.terms),
        broker_lines(facts),
        move_lines(facts),
        where_next(request, store, facts),
    ]
    return Screen("\n".join(line for part in parts for line in part), severities(facts.findings))


def severities(findings: Sequence[Row]) -> tuple[str, ...]:
    return tuple(one["severity"] for one in findings if one["status"] != "resolved")


def nothing_new(answers: Answers, request: RunRequest, result: RunResult, findings: Sequence[Row]) -> str:
    open_ones = [one for one in findings if one["valid_until_at"] is None]
    lines = [
        f"{request.cluster_id}  NOTHING NEW in {len(request.candidates)} files"
        f"; published stays what run {result.run_id} names",
        f"FINDINGS {len(findings)}, of them open {len(open_ones)}",
        f"TABLES {answers.store.folder}/<layer>/<table>",
    ]
    return "\n".join(lines)


def heading(request: RunRequest, facts: Facts) -> list[str]:
    read, level = facts.read, facts.level
    modes = {one["mode"] for one in facts.terms}
    mode = "KRaft" if "kraft" in modes else "ZooKeeper" if modes else "mode unknown"
    release = {"R1": " up to 2.2", "R2": " from 2.3"}.get((level or {}).get("machine") or "", "")
    nodes = ",".join(str(one) for one in read["nodes"]) or "unknown"
    zones = ", ".join(read["zones"])
    origin = request.settings.source_of("zone")
    said = "no zone given" if origin == "defaults" else f"zone by {origin}"
    if not read["last_at"]:
        return [f"{request.cluster_id}  {mode}{release}  nodes {nodes}  no time on any record"]
    age = age_text(datetime.now(UTC) - read["last_at"].astimezone(UTC))
    span = f"{day_clock(read['first_at'])} - {clock(read['last_at'])} UTC (age {age})"
    return [
        f"{request.cluster_id}  {mode}{release}  nodes {nodes}  DATA {span}",
        f"      logs in {zones} ({said})",
    ]


def age_text(age: object) -> str:
    seconds = age.total_seconds()  # type: ignore[attr-defined]
    hours, days = seconds / 3600, seconds / 86400
    return (
        f"{days:.0f} d"
        if days >= 2
        else f"{hours:.0f} h"
        if hours >= 1
        else f"{max(seconds, 0) / 60:.0f} min"
    )


def reading(facts: Facts, result: RunResult) -> list[str]:
    read = facts.read
    understood, records = int(read["understood"] or 0), int(read["records"] or 0)
    new = result.counts.get("records", 0)
    lines = [
        f"READ  {read['files']} files  {human_bytes(read['bytes'])}  {records:,} records"
        f"  {understood:,} understood  {records - understood:,} not understood  ({new:,} new in this run)"
    ]
    if records > understood:
        reasons = ", ".join(f"{one['not_understood_reason']} {one['count']:,}" for one in facts.reasons)
        lines.append(f"      not understood: {reasons}")
    skipped = [
        f"{result.states[state]} {words}" for state, words in STATES.items() if result.states.get(state)
    ]
    if skipped:
        lines.append(f"      not read: {', '.join(skipped)}")
    return lines


def at_end(facts: Facts) -> list[str]:
    end, deleting = facts.at_end, facts.deleting
    if end is None:
        return []
    last = facts.terms[-1] if facts.terms else None
    controller = f"{last['controller_id']} (epoch {last['controller_epoch']})" if last else "not known"
    unknown = f" | not known {end['unknown']}" if end["unknown"] else ""
    if not end["partitions"]:
        return [f"AT END  partitions: not enough evidence | controller {controller}"]
    return [
        f"AT END  offline {end['offline']} | not preferred {end['elsewhere']}/{end['partitions']}{unknown}"
        f" | deleting {len(deleting)}{' (' + ', '.join(deleting[:3]) + ')' if deleting else ''} | controller {controller}"
    ]


def verdict(facts: Facts) -> list[str]:
    """No data is never OK; nor is a log level at which moves are not printed."""
    counts = {severity: sum(one["severity"] == severity for one in facts.findings) for severity in SEVERITY}
    if not facts.read["records"] or not facts.terms:
        return ["VERDICT  NOT ENOUGH EVIDENCE: no line of a controller in office was read"]
    said = ", ".join(f"{count} {severity}" for severity, count in counts.items() if count)
    if counts["critical"] or counts["warning"]:
        return [f"VERDICT  NOT OK: {said}"]
    level = answers.level()
    blind = (
        "" if level and level["is_trace"] else "; replica moves are not printed at this log level (see MOVES)"
    )
    return [f"VERDICT  nothing found{': ' + said if said else ''}{blind}"]


def finding_lines(facts: Facts) -> list[str]:
    shown = facts.findings[:SHOWN_FINDINGS]
    lines = []
    for number, one in enumerate(shown, 1):
        open_mark = "" if one["valid_until_at"] else "  OPEN"
        lines.append(
            f"{SEVERITY[one['severity']]} F{number} {clock(one['valid_from_at'])} {one['sentence']}"
            f"  [{one['certainty']}, {one['status']}]{open_mark}"
        )
        place = one["evidence"][0] if one["evidence"] else None
        found = facts.lines.get((place["file_id"], place["byte_offset"])) if place else None
        if found:
            lines.append(f"        {found['path']}:{found['line']}")
    if len(facts.findings) > len(shown):
        lines.append(f"     {len(facts.findings) - len(shown)} more in gold.finding")
    return [*lines, ""] if lines else []


def term_lines(terms: Sequence[Row]) -> list[str]:
    rows = [
        (
            one["term_id"],
            str(one["controller_id"]),
            clock(one["elected_at"]) if one["elected_at"] else "not seen",
            f"{one['ready_ms']} ms" if one["ready_ms"] is not None else "-",
            clock(one["ended_at"]) if one["ended_at"] else "-",
            (one["ended_how"] or "not known").replace("_", " "),
            gap_text(one["gap_ms"]),
        )
        for one in terms[-20:]
    ]
    more = [f"     {len(terms) - 20} earlier terms in gold.controller_term"] if len(terms) > 20 else []
    return [*table(("TERM", "controller", "elected", "ready", "ended", "how", "next after"), rows), *more, ""]


def gap_text(gap_ms: int | None) -> str:
    if gap_ms is None:
        return ""
    return f"{gap_ms / 1000:.1f} s" if gap_ms >= 0 else f"{-gap_ms / 1000:.1f} s BEFORE its end"


def broker_lines(facts: Facts) -> list[str]:
    if facts.brokers is None:
        return []
    if any(one["mode"] == "kraft" for one in facts.terms):
        note = "KRaft controllers never read leader.imbalance.per.broker.percentage: no breach is judged"
    else:
        note = "high = leads too FEW of what it should; breach: ratio > limit, strictly"
    rows = [
        (
            str(one["broker_id"]),
            str(one["leads"] or 0),
            str(one["preferred_count"] or 0),
            str(one["led_elsewhere_count"] or 0),
            ratio_text(one["imbalance_ratio"]),
            ratio_text(one["threshold_ratio"]),
            "BREACH" if one["is_breach"] else "",
            ""
            if one["certainty"] != "undetermined"
            else "undetermined: the beginning of the history is missing",
        )
        for one in facts.brokers
    ]
    if not rows:
        return ["BROKER  leader imbalance: not enough evidence", ""]
    return [
        *table(("BROKER", "leads", "preferred", "elsewhere", "ratio", "limit", "", ""), rows),
        f"     {note}",
        "",
    ]


def move_lines(facts: Facts) -> list[str]:
    counts = facts.moves
    if counts is None:
        return []
    total = sum(count for verdict, count in counts.items() if verdict != "normal")
    if not total:
        kraft = any(one["mode"] == "kraft" for one in facts.terms)
        return [
            "MOVES  not judged: KRaft has other state machines"
            if kraft
            else "MOVES  not judged: no move was logged",
            "",
        ]
    names = (
        "illegal",
        "discontinuity",
        "undetermined",
        "refused",
        "failed",
        "first",
        "valid",
        "same_state",
        "hidden",
    )
    said = " | ".join(f"{name.replace('_', ' ')} {counts.get(name, 0):,}" for name in names)
    lines = [f"MOVES  {said}", f"       {counts['normal']} of the refused are normal in this release"]
    if facts.level and not facts.level["is_trace"]:
        lines.append(
            "       INFO: replica moves, and partitions going Offline or NonExistent, are not printed; to see them set"
        )
        lines.append("       log4j.logger.state.change.logger=TRACE, stateChangeAppender")
    odd = facts.odd_moves
    for one in odd:
        found = facts.lines[one["file_id"], one["byte_offset"]]
        text = bytes(found["raw"] or b"").decode("utf-8", "replace").splitlines()[0]
        normal = f" (normal: {one['normal']})" if one["normal"] else ""
        lines.append(f"  {one['verdict']}{normal}  {found['path']}:{found['line']}")
        lines.append(f"    {shortened(text, 230)}")
    odd_count = counts.get("illegal", 0) + counts.get("refused", 0)
    more = [f"  {odd_count - len(odd)} more in gold.transition_audit"] if odd_count > len(odd) else []
    return [*lines, *more, ""]


def where_next(request: RunRequest, store: ClusterWarehouse, facts: Facts) -> list[str]:
    read, findings = facts.read, facts.findings
    ask = f"kafka-controller-audit {{}} --warehouse {request.warehouse} --cluster {request.cluster_id}"
    at = day_clock(read["last_at"]).replace(" ", "T") if read["last_at"] else "TIME"
    return [
        f"TABLES {store.folder}/<layer>/<table> (Delta)",
        f"NEXT   {ask.format('show F1' if findings else 'terms')}",
        f"       {ask.format('partition TOPIC-N')}",
        f"       {ask.format(f'brokers --at {at}')}",
    ]
