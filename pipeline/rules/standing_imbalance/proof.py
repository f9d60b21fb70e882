"""The proof of standing_imbalance, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.elections import BROKER, ISR, LEADER
from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    broker, limit = claim.text("broker_id"), claim.ratio("threshold_ratio")
    elsewhere, preferred = claim.number("led_elsewhere_count"), claim.number("preferred_count")
    exact = elsewhere / max(preferred, 1)
    require_proof(
        abs(exact - claim.ratio("imbalance_ratio")) <= 1e-9, f"{elsewhere} of {preferred} is {exact:.4f}"
    )
    require_proof(limit < exact <= 1, f"{exact:.4f} is not over {limit}")
    stated = [(LEADER.search(one.text), ISR.search(one.text)) for one in lines]
    able = [isr[1] for leader, isr in stated if leader and isr and leader[1] != broker]
    is_able = broker in BROKER.findall(" ".join(able))
    require_proof(is_able, f"no record has broker {broker} in the ISR of what another broker leads")
    raise Unproved(UNDECIDED, "others lead what it could; its counts rest on more records")
