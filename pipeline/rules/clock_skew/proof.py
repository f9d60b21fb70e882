"""The proof of clock_skew, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, proof_millis, require_proof

WRITER = re.compile(r"\[?(?:Broker|BrokerLifecycleManager|Controller)(?: id=| )(\d+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    node, others = claim.text("node_id"), claim.texts("other_ids")
    found = {writer_of(line) for line in lines}
    is_of_both = node in found and found - {node} and found - {node} <= set(others)
    require_proof(is_of_both, f"the records are of nodes {', '.join(sorted(found))}")
    times = [proof_millis(line.at()) for line in lines]
    apart_ms = max(times) - min(times)
    require_proof(
        apart_ms >= claim.number("apart_ms"), f"by their clocks the records are {apart_ms} ms apart"
    )
    begin = claim.valid_from_at
    is_hour = begin == begin.replace(minute=0, second=0, microsecond=0)
    require_proof(is_hour, f"{begin} is no full hour, as lines are looked at by")
    raise Unproved(UNDECIDED, "that one is before the other is shown by all records of their channel")


def writer_of(line: ProofLine) -> str:
    found = WRITER.search(line.text)
    return found[1] if found else str(line.record.node_id)
