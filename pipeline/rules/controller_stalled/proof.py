"""The proof of controller_stalled, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, proof_millis, require_proof

CHECK = re.compile(
    r"Processing automatic preferred replica leader election|Checking need to trigger auto leader"
)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """When the check was due follows from the lines of others: see its page."""
    node_id, lasted_ms = claim.number("controller_id"), claim.number("lasted_ms")
    require_proof(lines and CHECK.search(lines[0].text), "the first record begins no check of leader balance")
    check = lines[0]
    require_proof(check.node_id() == node_id, f"{check.place()} is of controller {check.node_id()}")
    require_proof(claim.valid_until_at == check.at(), f"the check began {check.at()}")
    late = proof_millis(check.at()) - proof_millis(claim.valid_from_at)
    require_proof(late == lasted_ms, f"it was {late} ms late")
    return f"a check began {check.at()}, {lasted_ms} ms late"
