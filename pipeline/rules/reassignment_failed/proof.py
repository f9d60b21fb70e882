"""The proof of reassignment_failed, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof
from pipeline.rules.proving.reassignments import FAILED, is_about_partition, require_begin, require_target


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The first record begins it; the last one says that it failed. That a controller does not list it any more is what
    no record says."""
    topic, number = require_begin(claim, lines[0])
    require_target(claim, lines[0])
    if claim.text("reason") == "forgotten":
        raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that a controller has it no more no record shows")
    last = lines[-1]
    require_proof(
        is_about_partition(last, topic, number) and FAILED in last.text,
        f"{last.place()} does not say that it failed",
    )
    require_proof(
        claim.text("reason") == "error" and claim.valid_until_at == last.at(), f"it failed at {last.at()}"
    )
    return f"begun {lines[0].at()}, failed {last.at()}"
