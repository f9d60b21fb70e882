"""Proves findings about faults of nodes again; knows nothing of what found them."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

KEPT = 5  # so many faults a finding keeps


def faults_of(claim: Claim, faults: Sequence[ProofLine], others: Sequence[ProofLine], text: str) -> str:
    count = claim.number("failures_count")
    require_proof(len(faults) == min(count, KEPT), f"{len(faults)} such records for {count} faults")
    require_proof(text in faults[0].whole, f"the first record does not say {text}")
    name = claim.known("exception_class") or ""
    require_proof(all(name in line.whole for line in faults), f"a record has no {name}")
    nodes = {line.record.node_id for line in faults} - {None}
    require_proof(
        nodes <= {claim.known_number("node_id")}, f"the records are of nodes {sorted(map(str, nodes))}"
    )
    times = [line.at() for line in faults]
    require_proof(times[0] == claim.valid_from_at, f"the first record is of {times[0]}")
    require_proof(len(others) <= 1, "more than one record says that it is over")
    end = others[0].at() if others else None
    require_proof(claim.valid_until_at == end, f"by the records it ended {end or 'never'}")
    return f"{len(faults)} of {count} faults since {times[0]}, over {end or 'never'}"
