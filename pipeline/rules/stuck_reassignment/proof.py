"""The proof of stuck_reassignment, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.brokers import is_broker_gone
from pipeline.rules.proving.partitions import NOBODY, is_partition_named, partition_name_pattern
from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof
from pipeline.rules.proving.reassignments import (
    ID,
    LEAVING,
    is_about_partition,
    require_begin,
    require_target,
)
from pipeline.rules.proving.terms import FENCED

SAID = {
    "no_leader": NOBODY,
    "quorum_lost": re.compile(r"leader is \(none\)"),
    "controller_powerless": FENCED,
}
IN_SYNC = re.compile(
    r"completed the ongoing partition reassignment\. isr: \[[^\]]*\] -> \[([^\]]*)\], "
    r"replicaSet: \[[^\]]*\] -> \[([^\]]*)\]"
)
BEHIND = re.compile(r"Replica\(s\) ([\d,]+) still need to catch up")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The first record begins it, others tell who has not caught up, or is gone."""
    topic, number = require_begin(claim, lines[0])
    require_proof(claim.number("partitions_count") > 0, "it is of no partition")
    require_target(claim, lines[0])
    if lagging := claim.known_broker_ids("lagging_replicas"):
        own = [line for line in lines if is_partition_named(line, topic, number)]
        said = [sorted(found[1].split(",")) for line in own if (found := BEHIND.search(line.text))]
        require_proof(sorted(lagging) in said, f"no record says that {', '.join(lagging)} have not caught up")
    missing, waiting_for = claim.known_broker_ids("broker_ids") or [], claim.text("waiting_for")
    if waiting_for == "adding_and_removing":
        never_ends(lines, topic, number, missing)
        raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that no line ends it no record shows")
    for broker in missing:
        require_proof(
            any(is_broker_gone(line, broker) for line in lines),
            f"no record says that broker {broker} is gone",
        )
    if waiting_for in SAID and not missing:
        require_proof(
            any(is_wait_stated(line, waiting_for, topic, number) for line in lines),
            f"no record says {waiting_for}",
        )
    else:
        cause = "broker_lagging" if lagging else "broker_gone" if missing else "unknown"
        require_proof(
            waiting_for == cause or (missing and waiting_for == "no_leader"), f"it waits for {cause}"
        )
    raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that no line ends it no record shows")


def never_ends(lines: Sequence[ProofLine], topic: str, number: int, brokers: Sequence[str]) -> None:
    """A record says that it goes on while every replica is in sync; the first one takes the brokers away."""
    said = [
        found
        for line in lines
        if is_partition_named(line, topic, number) and (found := IN_SYNC.search(line.text))
    ]
    is_whole = any(set(ID.findall(one[2])) <= set(ID.findall(one[1])) for one in said)
    require_proof(is_whole, f"no record says that {topic}-{number} goes on while every replica is in sync")
    leaving = [broker for found in LEAVING.findall(lines[0].text) for broker in ID.findall(found)]
    for broker in brokers:
        require_proof(broker in leaving, f"{lines[0].place()} does not take broker {broker} away")


def is_wait_stated(line: ProofLine, waiting_for: str, topic: str, number: int) -> bool:
    is_own = waiting_for != "no_leader" or is_about_partition(line, topic, number)
    is_listed = (
        re.search(rf"{partition_name_pattern(topic, number)} -> OfflinePartition\b", line.whole) is not None
    )
    return (is_own and SAID[waiting_for].search(line.whole) is not None) or is_listed
