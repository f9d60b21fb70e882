"""The proof of missing_logs: there is none."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:  # noqa: ARG001  (as all proofs)
    """Unproved: always, no record shows what is not there."""
    raise Unproved(UNDECIDED, "that lines are missing no record shows")
