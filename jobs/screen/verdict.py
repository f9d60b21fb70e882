"""What the first screen makes of it all in a sentence, and what no line tells."""

from jobs.questions.finding_lines import SEVERITY, is_finding_since, unsuppressed_findings
from jobs.questions.nodes import KRAFT, may_be_silent
from jobs.screen.facts import Facts
from jobs.text import clock_text, format_count

UNTOLD = "who led what then, and for how long partitions had no leader, is not known"


def verdict_lines(facts: Facts, unread: int, *, is_judged: bool) -> list[str]:
    """No data is never OK; nor is what was not judged or not read (unread: files), nor a log level at which moves are
    not printed."""
    if not is_judged:
        return ["VERDICT  not judged by this job: the nightly job does"]
    missing = f"{unread} file{'s' if unread > 1 else ''} could not be read" if unread else ""
    shown = unsuppressed_findings(facts.findings)
    is_harm_told = any(one["severity"] != "info" for one in shown)
    if not facts.beyond and (not facts.read["records"] or not (facts.terms or is_harm_told)):
        return [f"VERDICT  NOT ENOUGH EVIDENCE: {not_enough(facts)}{', ' + missing if missing else ''}"]
    standing_ones = [one["severity"] for one in shown if one["status"] != "resolved"]
    counts = {severity: standing_ones.count(severity) for severity in SEVERITY}
    said = ", ".join(f"{count} {severity}" for severity, count in counts.items() if count)
    over = [one for one in shown if one["status"] == "resolved"]
    lately = sum(is_finding_since(one, facts.since) for one in over)
    others = {
        "resolved": lately,
        "resolved before": len(over) - lately,
        "known already": len(facts.findings) - len(shown),
    }
    apart = ", ".join(f"{count} {word}" for word, count in others.items() if count)
    resolved = f" ({apart})" if apart else ""
    if facts.beyond:
        at_end = f"; at the end of the data {said} open" if said else ""
        return [f"VERDICT  NOT ENOUGH EVIDENCE: {facts.beyond}{at_end}"]
    if counts["critical"] or counts["warning"]:
        return [f"VERDICT  NOT OK: {said}{resolved}{'; ' + missing if missing else ''}"]
    nothing = f"nothing found{': ' + said if said else ''}{resolved}{still_offline(facts)}{blind_spot(facts)}"
    return [f"VERDICT  {doubted_verdict(nothing, missing, facts.half_read or facts.untold.any)}"]


def doubted_verdict(nothing: str, unread: str, untold: str | None) -> str:
    """Where files were not read, or the logs that would tell were not given, it is not said alone that all is well."""
    if unread:
        return f"NOT ENOUGH EVIDENCE: {unread}; in the others {nothing}"
    return f"NOT ENOUGH EVIDENCE: {untold}; in the rest {nothing}" if untold else nothing


def still_offline(facts: Facts) -> str:
    """What was asked for, as a stop of the cluster, is no finding that goes on; but it is so."""
    count = facts.at_end["offline"] if facts.at_end else 0
    return f"; at the end of the data {format_count(count, 'partition')} without a leader" if count else ""


def not_enough(facts: Facts) -> str:
    if facts.in_office is None:
        return "no line of a controller in office was read"
    return f"controller {facts.in_office} was in office, and its election was not read"


def undecided_lines(facts: Facts) -> list[str]:
    """What a reader would expect to be told of, and no line says."""
    lines = [f"         {facts.half_read}, so {UNTOLD}"] if facts.half_read else []
    lines += several_active_lines(facts)
    if facts.terms and facts.untold.controllers:
        lines.append(
            f"         {facts.untold.controllers}, so what was done and asked for then is told in part"
        )
    judged = facts.elections
    if not judged or not judged["undecided"]:
        return lines
    is_silent = may_be_silent(facts.releases) or may_be_silent(facts.releases_before or facts.releases)
    why = "1.1 to 2.6, or lines are missing" if is_silent else "lines are missing"
    return [
        *lines,
        f"         of {judged['undecided']:,} of {judged['chosen']:,} elections no line tells whether they were unclean"
        f" ({why})",
    ]


def several_active_lines(facts: Facts) -> list[str]:
    """Of several controllers without a term none is known to have given up."""
    if len(facts.offices) < 2:
        return []
    names = [
        f"{one['controller_id']} (from {clock_text(one['from_at'])}, epoch not told)" for one in facts.offices
    ]
    return [
        f"         controllers {', '.join(names[:-1])} and {names[-1]} took over, and no line tells that one resigned"
    ]


def blind_spot(facts: Facts) -> str:
    if facts.mode == KRAFT or any(one["mode"] == KRAFT for one in facts.terms):
        return (
            "; in KRaft mode "
            + ("" if facts.recorded_moves else "moves are not judged, and ")
            + "ratios have no limit"
        )
    if facts.level and facts.level["is_trace"]:
        return ""
    if not facts.are_moves_given:
        return "; state-change.log, which tells of moves of partitions and replicas, was not given"
    return "; replica moves are not printed at this log level (see MOVES)"
