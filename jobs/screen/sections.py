"""The tables of the first screen: terms, brokers, moves."""

from collections.abc import Mapping
from datetime import UTC, datetime

from jobs.layout import wrap_text
from jobs.questions.ask_text import broker_table
from jobs.questions.nodes import KRAFT
from jobs.questions.term_table import short_table
from jobs.questions.terms import is_by_clocks
from jobs.screen.facts import Facts
from jobs.text import printable_line, printable_lines
from pipeline.kafka.machines.by_release import why_normal
from pipeline.views.reading.rows import Row

SHOWN_TERMS = 20
HANG = 7


def term_lines(facts: Facts) -> list[str]:
    terms = [one for one in facts.terms if is_term_since(one, facts.since)] or facts.terms[-1:]
    earlier = len(facts.terms) - len(terms[-SHOWN_TERMS:])
    more = [f"  {earlier} earlier ones in gold.controller_term"] if earlier else []
    shown = terms[-SHOWN_TERMS:]
    clocks = ["  two at once: if the clocks of both nodes agree"] if any(map(is_by_clocks, shown)) else []
    return [*short_table(shown, facts.findings), *clocks, *more, ""] if terms else []


def is_term_since(term: Row, since: datetime | None) -> bool:
    """True if a line of it, or of its end, is of that time or later."""
    told = (term[name] for name in ("last_act_at", "ended_at", "superseded_at"))
    times = [at.astimezone(UTC) for at in told if at]
    return since is None or term["ended_how"] == "open" or (bool(times) and max(times) >= since)


def screen_broker_lines(facts: Facts) -> list[str]:
    if facts.brokers is None:
        return []
    is_kraft = any(one["mode"] == "kraft" for one in facts.terms)
    note = [] if is_kraft else ratio_lines(facts.ratio_checks)
    return [*broker_table(facts.brokers), *note, ""]


def ratio_lines(checks: Row | None) -> list[str]:
    """Kafka's own ratio lines against what their controllers' lines give."""
    if not checks or not checks["said"]:
        return []
    lists = (
        f" | partitions listed {checks['lists_alike']:,} of {checks['lists']:,}" if checks["lists"] else ""
    )
    return wrap_text(f"  as Kafka prints it itself: ratios {ratio_check_text(checks)}{lists}")


def ratio_check_text(checks: Row | None) -> str:
    """30 of 30, 3 of controllers that had a successor; empty where Kafka printed none."""
    if not checks or not checks["said"]:
        return ""
    differing = checks["said"] - checks["equal"] - checks["undecided"]
    notes = [
        f", {checks[name]:,} {words}"
        for name, words in (("undecided", "undetermined"), ("stale", "of controllers that had a successor"))
        if checks[name]
    ]
    unequal = [f", {differing:,} UNEQUAL"] if differing else []
    return f"{checks['equal']:,} of {checks['said']:,}{''.join(notes + unequal)}"


CHECKED = {
    "initial_state_dump": "states in its dumps",
    "refused_pair": "pairs that it refused",
    "valid_previous_states": "lists of valid states",
}
REQUESTS = "requests_of_moves"


def checked_lines(checks: Mapping[str, Row]) -> list[str]:
    """What Kafka itself printed of its state machines, and how much of it the replay has alike."""
    told = []
    for name, words in CHECKED.items():
        if one := checks.get(name):
            unsure = f", {one['undecided']:,} undecided" if one["undecided"] else ""
            differing = f", {one['differing']:,} DIFFER" if one["differing"] else ""
            told.append(f"{words} {one['equal']:,} of {one['said']:,}{unsure}{differing}")
    return wrap_text(f"       as Kafka says itself: {' | '.join(told)}", HANG + 2) if told else []


def unrequested_text(checks: Mapping[str, Row]) -> str:
    """Moves that no request follows though Kafka sends one; empty where there is none."""
    without = checks[REQUESTS]["differing"] if REQUESTS in checks else 0
    return f"{without:,} without their request" if without else ""


def unjudged_moves_text(facts: Facts) -> str:
    """Where lines tell of no move: those of the metadata log, or why there are none."""
    return (
        f"on record: {facts.recorded_moves}" if facts.recorded_moves else f"not judged: {why_no_move(facts)}"
    )


def why_no_move(facts: Facts) -> str:
    if facts.mode == KRAFT or any(one["mode"] == KRAFT for one in facts.terms):
        return "KRaft has other state machines"
    if not facts.are_moves_given:
        return "state-change.log, which tells of them, was not given"
    return facts.beyond or "no move was logged"


def order_lines(orders: Row | None) -> list[str]:
    """Where steps stand in another order than Kafka makes them the audit, or the logs, are to be doubted."""
    if orders is None or not orders["other"]:
        return []
    said = f"steps in another order than Kafka's in {orders['other']:,} of {orders['said']:,} events"
    return wrap_text(f"       {said} (gold.controller_event, order_ok)", HANG)


def screen_move_lines(facts: Facts) -> list[str]:
    counts = facts.moves
    if counts is None:
        return []
    total = sum(count for verdict, count in counts.items() if verdict != "normal")
    if not total:
        return [*wrap_text(f"MOVES  {unjudged_moves_text(facts)}", HANG), ""]
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
    said = " | ".join(
        [
            *(f"{name.replace('_', ' ')} {counts.get(name, 0):,}" for name in names),
            *filter(None, [unrequested_text(facts.replay_checks)]),
        ]
    )
    lines = wrap_text(f"MOVES  {said}", HANG)
    if counts.get("refused"):
        lines.append(f"       {counts['normal']} of the refused are normal in this release")
    if facts.level and not facts.level["is_trace"] and facts.are_moves_given:
        lines += wrap_text(
            "       INFO: replica moves, and partitions going Offline or NonExistent, are not printed; to see them set",
            HANG,
        )
        lines.append("       log4j.logger.state.change.logger=TRACE, stateChangeAppender")
    lines += checked_lines(facts.replay_checks) + order_lines(facts.event_orders)
    odd = facts.odd_moves
    reasons: set[str] = set()
    for one in odd:
        found = facts.lines[one["file_id"], one["byte_offset"]]
        text = next(iter(printable_lines(bytes(found["raw"] or b""), width=230)))
        normal = " (normal)" if one["normal"] else ""
        lines.append(f"  {one['verdict']}{normal}  {printable_line(found['near'])}:{found['line']}")
        lines.append(f"    {text}")
        why = why_normal(one["machine"], one["from_state"], one["to_state"]) if one["normal"] else ""
        if why and why not in reasons:
            lines += wrap_text(f"    {why}")
        reasons.add(why)
    odd_count = counts.get("illegal", 0) + counts.get("refused", 0)
    more = [f"  {odd_count - len(odd)} more in gold.transition_audit"] if odd_count > len(odd) else []
    return [*lines, *more, ""]
