"""The proof of controller_powerless, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, proof_millis, require_proof, require_span
from pipeline.rules.proving.terms import FENCED, RESIGNING, controller_of, elected_controller


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    node_id, epoch = controller_of(claim)
    own, own_at = elected_controller(lines, epoch)
    fenced = [one.at() for one in lines if FENCED.search(one.text) and one.node_id() == own]
    require_proof(own == node_id and fenced, f"no record refuses a write of controller {node_id}")
    is_after = own_at < min(fenced) and claim.number("refused_count") > 0
    require_proof(is_after, f"no record refuses a write after {own_at}")
    later = [one.at() for one in lines if one.at() > min(fenced)]
    until = max(later, default=None)
    if claim.valid_until_at is None:
        behind = [one for one in lines if one.at() > min(fenced)]
        goes_on = all(one.node_id() == own and not RESIGNING.search(one.text) for one in behind)
        require_proof(goes_on, f"by the records it ended at {until}")
        until = None
    require_span(claim, min(fenced), until)
    lasted_ms = claim.known_number("lasted_ms")
    if until and lasted_ms is not None:
        # It ends earlier if another one was elected before it resigned.
        longest_ms = proof_millis(until) - proof_millis(min(fenced))
        require_proof(lasted_ms <= longest_ms, f"by the records it was {longest_ms} ms at most")
    return f"elected {own_at}, refused {min(fenced)}; that it wrote nothing afterwards no record shows"
