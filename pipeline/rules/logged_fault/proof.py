"""The proof of logged_fault, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.faults import faults_of
from pipeline.rules.proving.proof import Claim, ProofLine

LOGGED = re.compile(r"Encountered (?!fatal )[A-Za-z ]+ fault: ")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Records say what went wrong, and the last one that the process ends or begins anew."""
    faults = [line for line in lines if LOGGED.search(line.text)]
    kind, _, text = claim.text("fault").partition(": ")
    others = [line for line in lines if line not in faults]
    return faults_of(claim, faults, others, f"Encountered {kind} fault: {text}")
