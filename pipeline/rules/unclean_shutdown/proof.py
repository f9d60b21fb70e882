"""The proof of unclean_shutdown, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.brokers import is_broker_gone
from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_lasted, require_proof

GAVE_UP = re.compile(
    r"Proceeding to do an unclean shutdown as all the controlled shutdown attempts failed"
    r"|Timed out waiting for the controller to approve controlled shutdown"
    r"|Got unexpected exception waiting for controlled shutdown future"
)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    broker = claim.text("broker_id")
    left = [line.at() for line in lines if is_broker_gone(line, broker)]
    require_proof(left, f"no record says that broker {broker} is gone")
    require_proof(claim.valid_until_at == left[-1], f"it was gone at {left[-1]}")
    require_lasted(claim.valid_from_at, left[-1], claim.number("lasted_ms"))
    if claim.known("is_given_up") is not None:
        require_proof(claim.known("is_given_up") == "true", "it is told only where it is so")
        require_proof(any(map(says_it_gave_up, lines)), f"no record says that broker {broker} gave up")
    raise Unproved(UNDECIDED, f"gone {left[-1]}; what it led then rests on more records")


def says_it_gave_up(line: ProofLine) -> bool:
    return GAVE_UP.search(line.text) is not None
