"""The proof of slow_broker, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof

OF_BROKER = re.compile(r"\[Broker id=(\d+)\]|^.{0,40}[Bb]roker (\d+) |sent to broker .*\(id: (\d+) ")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    broker = claim.text("broker_id")
    require_proof(lines, "no record tells of a request")
    for line in lines:
        said = OF_BROKER.search(line.text)
        found = next((one for one in said.groups() if one), None) if said else None
        require_proof(found == broker, f"{line.place()} is not about broker {broker}")
    times = [line.at() for line in lines]
    held = (claim.valid_from_at, claim.valid_until_at)
    require_proof(held == (min(times), max(times)), f"the records are from {min(times)} to {max(times)}")
    raise Unproved(UNDECIDED, "the median is of more records than a finding keeps")
