"""The proof of outage, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.elections import LEADER
from pipeline.rules.proving.partitions import NOBODY, is_partition_named, partition_name_pattern
from pipeline.rules.proving.proof import (
    LIVE,
    UNDECIDED,
    Claim,
    ProofLine,
    Unproved,
    gone_broker_ids,
    is_without,
    listed_ids,
    require_lasted,
    require_proof,
)

LED = re.compile(
    r"(?i)(?:leader\"?[=:]|(?:with|elected) leader) ?(?:-1 -> )?\d+"
    r"|Leader \S+ (?:with topic id \S+ )?starts at leader epoch|Current leader is \d+"
)
DISK = re.compile(r"Directories \[[^\]]*\] in broker (\d+) marked offline")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The first two records are begin and end of the longest; of the others the finding says no more than a number."""
    topic, number = claim.text("topic"), claim.number("partition")
    require_proof(claim.valid_from_at <= lines[0].at(), f"{lines[0].place()} is before it")
    require_begin(lines[0], claim, topic, number)
    is_led = len(lines) > 1 and is_with_leader(lines[1], topic, number)
    is_back = len(lines) > 1 and set(listed_ids(LIVE, lines[1])) & set(claimed_gone_brokers(claim, lines[0]))
    if claim.known("open_count") or not (is_led or is_back):
        raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that no line ends it no record shows")
    require_lasted(lines[0].at(), lines[1].at(), claim.number("longest_ms"))
    return f"{topic}-{number} was without from {lines[0].at()} until {lines[1].at()}"


def is_with_leader(line: ProofLine, topic: str, number: int) -> bool:
    """It says so of the partition, which a machine that starts lists as Online."""
    is_listed = re.search(rf"{partition_name_pattern(topic, number)} -> OnlinePartition\b", line.whole)
    return is_listed is not None or (
        is_partition_named(line, topic, number) and LED.search(line.whole) is not None
    )


def claimed_brokers(claim: Claim) -> list[str]:
    return claim.known_broker_ids("broker_ids") or []


def claimed_gone_brokers(claim: Claim, line: ProofLine) -> list[str]:
    """Brokers of the finding that the line says are gone; where it says so of none, the only one that there is."""
    brokers, left = claimed_brokers(claim), gone_broker_ids(line)
    found = [one for one in brokers if one in left or is_without(line, one)]
    return found or (brokers if len(brokers) == 1 else [])


def require_begin(line: ProofLine, claim: Claim, topic: str, number: int) -> None:
    """It says so of the partition itself, or of its leader: that it left, lost a log directory, or is not among the
    live ones. A machine that starts lists it as Offline."""
    left = gone_broker_ids(line)
    disk = DISK.search(line.text) if claim.text("cause") == "log-dir failure" else None
    has_left = any(one in left or is_without(line, one) for one in claimed_brokers(claim))
    is_left = has_left or (disk is not None and disk[1] in claimed_brokers(claim))
    is_said = is_partition_named(line, topic, number) and NOBODY.search(line.whole)
    is_listed = re.search(rf"{partition_name_pattern(topic, number)} -> OfflinePartition\b", line.whole)
    leader = LEADER.search(line.whole) if is_partition_named(line, topic, number) else None
    if leader and leader[1] in claimed_brokers(claim) and not (is_left or is_said or is_listed):
        raise Unproved(
            UNDECIDED, f"{line.place()} has leader {leader[1]}; that it was never there no record shows"
        )
    require_proof(is_left or is_said or is_listed, f"{line.place()} leaves {topic}-{number} with its leader")
