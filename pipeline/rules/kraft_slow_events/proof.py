"""The proof of kraft_slow_events, from its records alone."""

import re
from collections.abc import Sequence
from datetime import timedelta

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

SLOW = re.compile(r"Exceptionally slow controller event (\w+)\S* took (\d+) ms")
KEPT = 5  # so many records a finding keeps


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    node_id, count = claim.number("controller_id"), claim.number("slow_count")
    require_proof(len(lines) == min(count, KEPT), f"{len(lines)} such records for {count} slow events")
    said = [SLOW.search(line.text) for line in lines]
    for line, found in zip(lines, said, strict=True):
        require_proof(found, f"{line.place()} tells of no slow event")
        require_proof(line.node_id() == node_id, f"{line.place()} is of controller {line.node_id()}")
    worst = max((found for found in said if found), key=lambda found: int(found[2]))
    require_proof(worst[1] == claim.text("event"), f"the worst is {worst[1]}")
    require_proof(int(worst[2]) == claim.number("lasted_ms"), f"the worst took {worst[2]} ms")
    begins = [
        line.at() - timedelta(milliseconds=int(found[2]))
        for line, found in zip(lines, said, strict=True)
        if found
    ]
    ends, (since, until) = [line.at() for line in lines], (claim.valid_from_at, claim.valid_until_at)
    require_proof(
        since <= min(begins) and until and until >= max(ends), f"they were from {min(begins)} to {max(ends)}"
    )
    is_whole = count > KEPT or (since, until) == (min(begins), max(ends))
    require_proof(is_whole, f"they were from {min(begins)} to {max(ends)}")
    return f"{count} slow events, the worst {worst[1]} with {worst[2]} ms"
