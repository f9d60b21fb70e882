"""The screen at a glance, for somebody woken up: each finding in a line, then what happened in a line or two each."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from jobs.layout import screen_width, wrap_text
from jobs.questions.broker_text import ratio_texts
from jobs.questions.finding_lines import (
    SEVERITY,
    Numbered,
    by_rule,
    worst_finding,
)
from jobs.questions.outages import outage_total_lines
from jobs.questions.reassignments import reassignment_lines
from jobs.questions.term_gaps import BY_SILENCE, most_gap_ms
from jobs.questions.terms import spaced_words
from jobs.questions.topics import topic_summary_lines
from jobs.screen.facts import Facts
from jobs.screen.first_things import names, shown_findings
from jobs.screen.sections import (
    is_term_since,
    order_lines,
    ratio_check_text,
    unjudged_moves_text,
    unrequested_text,
)
from jobs.text import clock_by, length_text, shorten_line

SHOWN_TERMS = 12
HANG = 8
# From how many findings of a rule and severity on they stand together, and where there is no room for so many lines.
MANY, SEVERAL = 3, 2
OUTAGE = "outage"
ALIKE_BY = ("severity", "rule", "status")


def finding_glance(facts: Facts, room: int) -> list[str]:
    """Each finding that asks for something, alike ones together; of the others how many by rule. room: lines
    that it does not pass where it can; the worst have a second line as long as there is room."""
    shown = shown_findings(facts)
    asking = [one for one in shown if one[1]["severity"] != "info"]
    told = [one for one in shown if one[1]["severity"] == "info"]
    rules = by_rule([one for _, one in told]).replace("INFO ", "").replace("_", " ")
    going_on = [one for one in told if one[1]["valid_until_at"] is None]
    still = f"; OPEN {number_ranges(going_on)}" if going_on else ""
    counted = wrap_text(f"INFO {number_ranges(told)} {rules}{still}", HANG) if told else []
    groups = alike(asking, MANY)
    if len(groups) + len(counted) >= room:
        groups = alike(asking, SEVERAL)
    lines: list[str] = []
    left = room - len(groups) - len(counted) - 1  # a blank line
    for group in groups:
        said = group_glance(group, facts, 2 if left > 0 else 1)
        left -= len(said) - 1
        lines += said
    return [*lines, *counted, ""] if shown else []


def alike(findings: Sequence[Numbered], least: int) -> list[list[Numbered]]:
    """Findings of a rule, severity and status together where they are so many, and outages always."""
    groups: dict[tuple[object, ...], list[Numbered]] = {}
    for one in findings:
        groups.setdefault(tuple(one[1][name] for name in ALIKE_BY), []).append(one)
    found: list[list[Numbered]] = []
    for group in groups.values():
        is_together = len(group) >= least or group[0][1]["rule"] == OUTAGE
        found += [group] if is_together else [[one] for one in group]
    return found


def group_glance(group: Sequence[Numbered], facts: Facts, most_lines: int) -> list[str]:
    """WARN F2-F14 08:59:33.439 13 alike, the worst: broker 3 was gone: 13 partitions without a leader …"""
    going_on = [one for one in group if one[1]["valid_until_at"] is None]
    one = worst_finding(going_on or group)
    many = f"{len(group)} alike, the worst: " if len(group) > 1 else ""
    count = f"{len(going_on)} " if 0 < len(going_on) < len(group) else ""
    still = f"{count}OPEN " if going_on else ""
    at = clock_by(one["valid_from_at"], facts.read["last_at"])
    head = f"{SEVERITY[one['severity']]} {number_ranges(group)} {at} {still}{many}"
    lines = wrap_text(f"{head}{one['sentence'].split('; ')[0]}", HANG)
    if len(lines) <= most_lines:
        return lines
    last = " ".join(line.strip() for line in lines[most_lines - 1 :])
    indent = HANG * " " if most_lines > 1 else ""
    return [*lines[: most_lines - 1], f"{indent}{shorten_line(last, screen_width() - len(indent))}"]


def number_ranges(group: Sequence[Numbered]) -> str:
    """F1, F3-F5."""
    found: list[list[int]] = []
    for number, _ in group:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return ",".join(f"F{one[0]}" if len(one) == 1 else f"F{one[0]}-F{one[-1]}" for one in found)


def course_lines(facts: Facts) -> list[str]:
    """Terms, outages, topics, reassignments, ratios and moves, a line or two each."""
    parts: tuple[Callable[[Facts], list[str]], ...] = (
        term_glance,
        outage_glance,
        lambda one: [line for line in topic_summary_lines(one.topics) if line],
        lambda one: [line for line in reassignment_lines(one.reassignments) if line],
        ratio_glance,
        move_glance,
    )
    return [line for part in parts for line in part(facts)]


def term_glance(facts: Facts) -> list[str]:
    terms = [one for one in facts.terms if is_term_since(one, facts.since)] or facts.terms[-1:]
    if not terms:
        return []
    ended = Counter(
        spaced_words(one["ended_how"] or "not known") for one in terms if one["ended_how"] != "open"
    )
    hows = ", ".join(f"{how} {count}" for how, count in ended.most_common())
    worst = max(terms, key=most_gap_ms)
    most_ms = most_gap_ms(worst)
    bound = "at most " if worst["ended_how"] in BY_SILENCE else ""
    gap = f"longest without: {bound}{length_text(most_ms)}" if most_ms else ""
    course = " ".join(str(one["controller_id"]) for one in terms[-SHOWN_TERMS:])
    more = "… " if len(terms) > SHOWN_TERMS else ""
    said = [f"{len(terms)} ({more}{course})", hows, gap]
    return wrap_text(f"TERMS   {'; '.join(filter(None, said))}", HANG)


def outage_glance(facts: Facts) -> list[str]:
    if facts.outages is None:
        return []
    unknown = facts.at_end["service_unknown"] if facts.at_end else 0
    untold = facts.beyond or facts.untold.leaders
    return outage_total_lines(replace(facts.outages, untold=untold, unknown=unknown))


def ratio_glance(facts: Facts) -> list[str]:
    if not facts.brokers:
        return []
    rows = sorted(facts.brokers, key=lambda one: (-(one["imbalance_ratio"] or 0), one["broker_id"]))
    told = [f"{one['broker_id']}: {ratio_texts(one)[2]}" for one in rows]
    same = ratio_check_text(facts.ratio_checks)
    return wrap_text(f"RATIOS  {names(told)}{f'; as Kafka prints it itself: {same}' if same else ''}", HANG)


def move_glance(facts: Facts) -> list[str]:
    counts = facts.moves
    if counts is None:
        return []
    if not sum(count for verdict, count in counts.items() if verdict != "normal"):
        return wrap_text(f"MOVES   {unjudged_moves_text(facts)}", HANG)
    valid = sum(counts.get(name, 0) for name in ("first", "valid", "same_state"))
    normal = f" ({counts['normal']} normal)" if counts.get("refused") else ""
    said = ", ".join(
        f"{name} {counts.get(name, 0):,}" for name in ("illegal", "discontinuity", "undetermined")
    )
    moves = f"MOVES   {said}, refused {counts.get('refused', 0):,}{normal}, valid {valid:,}"
    without = unrequested_text(facts.replay_checks)
    moves += f", {without}" if without else ""
    return [*wrap_text(moves, HANG), *order_lines(facts.event_orders)]
