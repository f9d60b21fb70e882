"""The proof of refused_registration, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, require_proof, require_span

REFUSED = re.compile(r"registerBroker\b.*DuplicateBrokerRegistrationException")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Up to so many of the refusals stand there; that the broker is the one named the lines do not say."""
    require_proof(all(REFUSED.search(line.text) for line in lines), "a record refuses no broker")
    count = claim.number("refused_count")
    require_proof(len(lines) <= count, f"{len(lines)} records for {count}")
    require_proof(lines[0].at() == claim.valid_from_at, f"{lines[0].place()} is not the first")
    require_proof(len(lines) == count, f"{len(lines)} of {count} refusals stand here", UNDECIDED)
    require_span(claim, lines[0].at(), lines[-1].at(), claim.number("lasted_ms"))
    return f"refused {count} times, {lines[0].at()} to {lines[-1].at()}"
