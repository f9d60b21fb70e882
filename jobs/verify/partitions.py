"""Proves again what findings say of leaders and ratios, from the bytes of their records."""

import re
from collections.abc import Sequence

from jobs.verify.elections import BROKER, ISR, LEADER
from jobs.verify.proof import (
    LIVE,
    UNDECIDED,
    Claim,
    Line,
    Unproved,
    gone,
    is_without,
    listed,
    require,
    require_lasted,
    require_span,
)

PRINTED = re.compile(r"eader imbalance ratio for broker (\d+) is (\d[\d.,E-]*)")
NOBODY = re.compile(
    r"(?i)leader\"?[=:] ?-1\b|(?:to|state) (?:Offline|New)Partition\b|Current leader is -1\b|leader: \d+ -> -1\b"
    r"|failed to change state .*from OfflinePartition\b|initiated state change .*from OfflinePartition to \w+ failed\b"
)
LED = re.compile(
    r"(?i)(?:leader\"?[=:]|(?:with|elected) leader) ?(?:-1 -> )?\d+"
    r"|Leader \S+ (?:with topic id \S+ )?starts at leader epoch|Current leader is \d+"
)
DISK = re.compile(r"Directories \[[^\]]*\] in broker (\d+) marked offline")


def outage(claim: Claim, lines: Sequence[Line]) -> str:
    """The first two records are begin and end of the longest; of the others the finding says no more than a number."""
    topic, number = claim.text("topic"), claim.number("partition")
    require(claim.valid_from_at <= lines[0].at(), f"{lines[0].place()} is before it")
    require_begin(lines[0], claim, topic, number)
    is_led = len(lines) > 1 and is_with_leader(lines[1], topic, number)
    is_back = len(lines) > 1 and set(listed(LIVE, lines[1])) & set(lost(claim, lines[0]))
    if claim.known("open_count") or not (is_led or is_back):
        raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that no line ends it no record shows")
    require_lasted(lines[0].at(), lines[1].at(), claim.number("longest_ms"))
    return f"{topic}-{number} was without from {lines[0].at()} until {lines[1].at()}"


def is_with_leader(line: Line, topic: str, number: int) -> bool:
    """It says so of the partition, which a machine that starts lists as Online."""
    is_listed = re.search(rf"{name_of(topic, number)} -> OnlinePartition\b", line.whole)
    return is_listed is not None or (names(line, topic, number) and LED.search(line.whole) is not None)


def names(line: Line, topic: str, number: int) -> bool:
    return re.search(name_of(topic, number), line.whole) is not None


def name_of(topic: str, number: int) -> str:
    """As a regular expression."""
    end = rf"(?:-{number}\b|,\s?{number}\]|,partition={number}\b|, partition {number}\b)"
    return rf"(?<![\w.-]){re.escape(topic)}{end}"


def brokers_of(claim: Claim) -> list[str]:
    return claim.known_broker_ids("broker_ids") or []


def lost(claim: Claim, line: Line) -> list[str]:
    """Brokers of the finding that the line says are gone; where it says so of none, the only one that there is."""
    brokers, left = brokers_of(claim), gone(line)
    found = [one for one in brokers if one in left or is_without(line, one)]
    return found or (brokers if len(brokers) == 1 else [])


def require_begin(line: Line, claim: Claim, topic: str, number: int) -> None:
    """It says so of the partition itself, or of its leader: that it left, lost a log directory, or is not among the
    live ones. A machine that starts lists it as Offline."""
    left = gone(line)
    disk = DISK.search(line.text) if claim.text("cause") == "log-dir failure" else None
    has_left = any(one in left or is_without(line, one) for one in brokers_of(claim))
    is_left = has_left or (disk is not None and disk[1] in brokers_of(claim))
    is_said = names(line, topic, number) and NOBODY.search(line.whole)
    is_listed = re.search(rf"{name_of(topic, number)} -> OfflinePartition\b", line.whole)
    leader = LEADER.search(line.whole) if names(line, topic, number) else None
    if leader and leader[1] in brokers_of(claim) and not (is_left or is_said or is_listed):
        raise Unproved(
            UNDECIDED, f"{line.place()} has leader {leader[1]}; that it was never there no record shows"
        )
    require(is_left or is_said or is_listed, f"{line.place()} leaves {topic}-{number} with its leader")


def ratio_disagreement(claim: Claim, lines: Sequence[Line]) -> str:
    ratio, controller = claim.ratio("kafka_ratio"), claim.text("controller_id")
    printed = PRINTED.search(lines[0].text)
    require(printed, f"{lines[0].place()} prints no ratio")
    told = (printed[1], float(printed[2].replace(",", "."))) if printed else ("", 0.0)
    is_so = told == (claim.text("broker_id"), ratio)
    require(is_so, f"{lines[0].place()} prints {told[1]} for broker {told[0]}")
    require(
        str(lines[0].node_id()) == controller, f"{lines[0].place()} is of controller {lines[0].node_id()}"
    )
    require(claim.valid_from_at == lines[0].at(), f"{lines[0].place()} is of {lines[0].at()}")
    is_other = claim.known("imbalance_ratio") is None or claim.ratio("imbalance_ratio") != ratio
    require(is_other, "both ratios are the same")
    raise Unproved(UNDECIDED, "Kafka printed it so; what its lines give rests on more records")


def stated_imbalance(claim: Claim, lines: Sequence[Line]) -> str:
    """Ratios of one controller and broker over the limit; the last one is not, if it is over."""
    broker, limit, controller = (
        claim.text("broker_id"),
        claim.ratio("threshold_ratio"),
        claim.text("controller_id"),
    )
    said = [(line, found) for line in lines if (found := PRINTED.search(line.text))]
    require(all(found[1] == broker for _, found in said), f"a record is not of broker {broker}")
    require(
        all(str(line.node_id()) == controller for line, _ in said),
        f"a record is not of controller {controller}",
    )
    ratios = sorted((line.at(), float(found[2].replace(",", "."))) for line, found in said)
    over = [(at, ratio) for at, ratio in ratios if limit < ratio <= 1]
    highest = max((ratio for _, ratio in over), default=0)
    require(highest == claim.ratio("kafka_ratio"), f"the highest ratio that a record prints is {highest}")
    require(claim.number("checks_count") >= len(over) > 1, f"{len(over)} records print a ratio over {limit}")
    require_span(claim, over[0][0], min((at for at, ratio in ratios if ratio <= limit), default=None))
    return f"{len(over)} of {claim.number('checks_count')} ratios stand in records, from {over[0][0]}"


def standing_imbalance(claim: Claim, lines: Sequence[Line]) -> str:
    broker, limit = claim.text("broker_id"), claim.ratio("threshold_ratio")
    elsewhere, preferred = claim.number("led_elsewhere_count"), claim.number("preferred_count")
    exact = elsewhere / max(preferred, 1)
    require(abs(exact - claim.ratio("imbalance_ratio")) <= 1e-9, f"{elsewhere} of {preferred} is {exact:.4f}")
    require(limit < exact <= 1, f"{exact:.4f} is not over {limit}")
    stated = [(LEADER.search(one.text), ISR.search(one.text)) for one in lines]
    able = [isr[1] for leader, isr in stated if leader and isr and leader[1] != broker]
    is_able = broker in BROKER.findall(" ".join(able))
    require(is_able, f"no record has broker {broker} in the ISR of what another broker leads")
    raise Unproved(UNDECIDED, "others lead what it could; its counts rest on more records")
