"""What stands first on a screen and on a page: what goes on by name, what is lost for good, what to do first."""

from collections.abc import Sequence
from datetime import datetime

from jobs.layout import wrap_text
from jobs.playbook.pages import what_to_do
from jobs.questions.broker_text import ratio_texts
from jobs.questions.finding_lines import Numbered, finding_groups
from jobs.questions.reasons import SHORT
from jobs.screen.facts import Facts
from jobs.text import clock_by, shorten_line
from pipeline.views.reading.rows import Row

SHOWN_NAMES, SHOWN_LOSSES = 3, 2
HANG = 8
# Its findings tell of records that are lost; where the last known leader is back, only a power cut loses any.
LOSS = "unclean_election"
IN_DOUBT = "undetermined"


def now_lines(facts: Facts) -> list[str]:
    return [
        line
        for words, found in now_texts(facts)
        for line in wrap_text(f"{HANG * ' '}{words}: {found}", HANG + 2)
    ]


def now_texts(facts: Facts) -> list[tuple[str, str]]:
    """What goes on at the end of the data, by name: partitions without a leader, brokers that are gone, ratios over
    their limit. Each is what it is, and the names."""
    last = facts.read["last_at"]
    parts = (
        leaderless_texts(facts),
        ("brokers gone", [gone_text(one, last) for one in facts.gone]),
        ("over the limit", [ratio_over(one) for one in facts.brokers or [] if is_over(one)]),
    )
    return [(words, names(found)) for words, found in parts if found]


def leaderless_texts(facts: Facts) -> tuple[str, list[str]]:
    """The partitions without a leader; the time is told once where it is that of all that are named."""
    named = [partition_text(one) for one in facts.leaderless]
    times = [clock_by(one["noticed_at"], facts.read["last_at"]) for one in facts.leaderless]
    if len(set(times[:SHOWN_NAMES])) == 1:
        return f"without a leader since {times[0]}", named
    return "without a leader", [f"{name} since {at}" for name, at in zip(named, times, strict=True)]


def names(found: Sequence[str], most: int = SHOWN_NAMES) -> str:
    """The first ones, and how many more there are."""
    left = len(found) - most
    return ", ".join([*found[:most], *([f"{left:,} more"] if left > 0 else [])])


def partition_text(outage: Row) -> str:
    name = shorten_line(f"{outage['topic']}-{outage['partition']}", 60)
    return f"{name}{' [undetermined]' if outage['certainty'] == IN_DOUBT else ''}"


def gone_text(stay: Row, last: datetime | None) -> str:
    reason = SHORT.get(stay["end_reason"] or "")
    return f"{stay['broker_id']} since {clock_by(stay['left_at'], last)}{f' ({reason})' if reason else ''}"


def is_over(broker: Row) -> bool:
    return bool(broker["is_breach"]) and broker["certainty"] != IN_DOUBT


def ratio_over(broker: Row) -> str:
    _, _, ratio, limit, _ = ratio_texts(broker)
    return f"broker {broker['broker_id']} {ratio} > {limit}"


def loss_lines(facts: Facts) -> list[str]:
    lost = loss_summary(shown_findings(facts))
    return wrap_text(f"LOST    {lost}", HANG) if lost else []


def loss_summary(findings: Sequence[Numbered]) -> str:
    """What no restart brings back: records that an unclean election lost, and how many at most. Empty: none."""
    unclean = (one for one in findings if one[1]["rule"] == LOSS)
    lost = [one for one in unclean if one[1]["facts"].get("records_at_risk") != 0]
    return names([f"{loss_text(one)} (F{number})" for number, one in lost], SHOWN_LOSSES)


def loss_text(finding: Row) -> str:
    said = finding["facts"]
    name = f"{said['topic']}-{said['partition']}" if said.get("topic") else finding["entity"] or "a partition"
    most = said.get("records_at_risk")
    count = "records, nobody knows how many" if most is None else f"at most {most:,} records"
    return f"{shorten_line(name, 60)}: {count}"


def first_step_lines(facts: Facts) -> list[str]:
    first = first_step(shown_findings(facts))
    return wrap_text(f"FIRST   {first[1]} (F{first[0]})", HANG) if first else []


def first_step(findings: Sequence[Numbered]) -> tuple[int, str] | None:
    """What to do of the first finding that asks for something, and its number: of an open one before others of its
    severity."""
    asking = [one for one in findings if one[1]["severity"] != "info"]
    in_order = sorted(
        asking, key=lambda one: (one[1]["severity"] != "critical", one[1]["valid_until_at"] is not None)
    )
    steps = (
        (number, what_to_do(one["rule"], is_open=one["valid_until_at"] is None)) for number, one in in_order
    )
    return next(((number, to_do) for number, to_do in steps if to_do), None)


def shown_findings(facts: Facts) -> list[Numbered]:
    return [one for group in finding_groups(facts.findings, facts.since) for one in group]
