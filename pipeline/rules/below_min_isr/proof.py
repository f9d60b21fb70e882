"""The proof of below_min_isr, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.partitions import is_partition_named
from pipeline.rules.proving.proof import (
    UNDECIDED,
    Claim,
    ProofLine,
    Unproved,
    require_lasted,
    require_proof,
)

ISR = re.compile(r"(?i)\bisr(?: updated to(?: AlterIsr to)?|=|:|) ?(?:[A-Za-z]+\(|\[)?(\d[\d, ]*)")
IN_STATES = re.compile(r"isrWithBrokerEpoch=(?:List\(|\[)(.*?)(?:\)\)|\)\])")
MINIMUM = re.compile(r"min\.isr requirement of (\d+)|below required minimum \[(\d+)\]")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The first record states the ISR, a refused append its minimum; that of a topic's setting no record here shows."""
    topic, number = claim.text("topic"), claim.number("partition")
    require_proof(lines[0].at() == claim.valid_from_at, f"{lines[0].place()} is not its begin")
    told = stated_isr(lines[0].whole)
    if not told:
        raise Unproved(UNDECIDED, f"{lines[0].place()} states no ISR: another record made it so")
    require_proof(is_partition_named(lines[0], topic, number), f"{lines[0].place()} is of another partition")
    require_proof(told == sorted(claim.broker_ids("isr")), f"{lines[0].place()} has ISR {told}")
    minimums = {next(filter(None, found)) for one in lines for found in MINIMUM.findall(one.whole)}
    if not minimums:
        raise Unproved(UNDECIDED, "no record of it names the minimum")
    require_proof(minimums == {claim.text("min_isr")}, f"the minimum is {sorted(minimums)}")
    require_proof(len(told) < claim.number("min_isr"), "that is enough")
    if claim.known("longest_ms"):
        require_lasted(lines[0].at(), lines[-1].at(), claim.number("longest_ms"))
    return f"{topic}-{number} had {told} from {lines[0].at()}"


def stated_isr(text: str) -> list[str]:
    """Ids of brokers in order; from 3.5 on with their epochs."""
    states = IN_STATES.search(text)
    if states:
        return sorted(re.findall(r"brokerId=(\d+)", states[0]))
    found = ISR.search(text)
    return sorted(re.findall(r"\d+", found[1])) if found else []
