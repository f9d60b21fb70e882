"""The proof of failover_slow, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.terms import controller_of, elected_controller

READY = re.compile(r"[Rr]eady to serve as the new controller with epoch (\d+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    node_id, epoch = controller_of(claim)
    own, own_at = elected_controller(lines, epoch)
    ready = [
        one.at()
        for one in lines
        if (found := READY.search(one.text)) and int(found[1]) == epoch and one.node_id() == own
    ]
    require_proof(ready and own == node_id, f"no record says that controller {node_id} was ready")
    require_span(claim, own_at, min(ready), claim.number("lasted_ms"))
    return f"elected {own_at}, ready {min(ready)}"
