"""Proves again what findings say of partitions without a leader and of ratios, from the bytes of their records."""

import re
from collections.abc import Sequence

from jobs.proof import LIVE, UNDECIDED, Claim, Line, Unproved, gone, listed, require, said

WITHOUT = re.compile(r"longest ([\d.]+) s \((.+)-(\d+)\)(; \d+ still without)?$")
RATIO = re.compile(
    r"controller (\d+) .*printed imbalance ratio (\S+) for broker (\d+), its lines give (\S+) "
)
PRINTED = re.compile(r"eader imbalance ratio for broker (\d+) is (\d[\d.,E-]*)")
NOBODY = re.compile(
    r"(?i)leader\"?[=:] ?-1\b|(?:to|state) (?:Offline|New)Partition\b|Current leader is -1\b|leader: \d+ -> -1\b"
)
LED = re.compile(
    r"(?i)(?:leader\"?[=:]|(?:with|elected) leader) ?(?:-1 -> )?\d+"
    r"|Leader \S+ (?:with topic id \S+ )?starts at leader epoch|Current leader is \d+"
)
SPAN = 0.0501  # of a second told by tenths


def outage(claim: Claim, lines: Sequence[Line]) -> str:
    """The first two records are begin and end of the longest; of the others the sentence says no more than a number."""
    seconds, topic, number, is_open = said(WITHOUT, claim)
    require_begin(lines[0], claim, topic, number)
    require(claim["valid_from_at"] <= lines[0].at(), f"{lines[0].place()} is before it")
    is_led = len(lines) > 1 and names(lines[1], topic, number) and LED.search(lines[1].whole)
    is_back = len(lines) > 1 and set(listed(LIVE, lines[1])) & set(brokers_of(claim))
    if is_open or not (is_led or is_back):
        raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that no line ends it no record shows")
    lasted = (lines[1].at() - lines[0].at()).total_seconds()
    require(abs(lasted - float(seconds)) <= SPAN, f"by the records it was {lasted:.3f} s")
    return f"{topic}-{number} was without from {lines[0].at()} until {lines[1].at()}"


def names(line: Line, topic: str, number: str) -> bool:
    end = rf"(?:-{number}\b|,\s?{number}\]|,partition={number}\b|, partition {number}\b)"
    return re.search(rf"(?<![\w.-]){re.escape(topic)}{end}", line.whole) is not None


def brokers_of(claim: Claim) -> list[str]:
    return re.findall(r"\d+", claim["entity"]) if claim["entity"].startswith("broker ") else []


def require_begin(line: Line, claim: Claim, topic: str, number: str) -> None:
    """It says so of the partition itself, or of its leader: that it left, or is not among the live ones."""
    left, live = gone(line), listed(LIVE, line)
    is_left = any(one in left or (live and one not in live) for one in brokers_of(claim))
    is_said = names(line, topic, number) and NOBODY.search(line.whole)
    require(is_left or is_said, f"{line.place()} leaves {topic}-{number} with its leader")


def ratio_disagreement(claim: Claim, lines: Sequence[Line]) -> str:
    controller, ratio, broker, ours = said(RATIO, claim)
    printed = PRINTED.search(lines[0].text)
    require(printed, f"{lines[0].place()} prints no ratio")
    told = (printed[1], float(printed[2].replace(",", "."))) if printed else ("", 0.0)
    require(told == (broker, float(ratio)), f"{lines[0].place()} prints {told[1]} for broker {told[0]}")
    require(
        str(lines[0].node_id()) == controller, f"{lines[0].place()} is of controller {lines[0].node_id()}"
    )
    require(claim["valid_from_at"] == lines[0].at(), f"{lines[0].place()} is of {lines[0].at()}")
    require(ours == "none" or float(ours) != float(ratio), "both ratios are the same")
    raise Unproved(UNDECIDED, "Kafka printed it so; what its lines give rests on more records")
