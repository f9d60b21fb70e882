"""Proves findings about single voters of a quorum again; knows nothing of what found them."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

KEPT = 5  # so many records a finding keeps: the first four and the last
BY = r"\[RaftManager (?:id|nodeId)=(\d+)\] "


def of_times(claim: Claim, lines: Sequence[ProofLine]) -> str:
    count, times = claim.number("failures_count"), sorted(line.at() for line in lines)
    require_proof(len(times) == min(count, KEPT), f"{len(times)} such records for {count}")
    require_proof(times[0] == claim.valid_from_at, f"the first record is of {times[0]}")
    require_proof(claim.valid_until_at in (times[-1], None), f"the last record is of {times[-1]}")
    return f"{len(times)} of {count} records from {times[0]} to {times[-1]}"
