"""A finding is proved again from the bytes of its records alone, by the proof of its rule."""

from collections.abc import Callable, Sequence
from importlib import import_module

from pipeline.rules.order import RULE_NAMES
from pipeline.rules.proving.proof import (
    CONFIRMED,
    UNDECIDED,
    Claim,
    ProofLine,
    Record,
    Unproved,
    line_of,
    require_proof,
)
from pipeline.rules.proving.reasons import without_reasons
from schemas.namespace import full_module_name

Prove = Callable[[Claim, Sequence[ProofLine]], str]


def proof_of(rule: str) -> Prove:
    """Why a claim of this rule holds, by its lines; Unproved: it does not, or they do not tell."""
    prove: Prove = import_module(full_module_name(f"pipeline.rules.{rule}.proof")).prove
    return prove


def verify_claim(claim: Claim, records: Sequence[Record]) -> tuple[str, str]:
    """Outcome and why. Lines have to say what it claims."""
    try:
        require_proof(records, "no record stands behind it")
        require_proof(claim.rule in RULE_NAMES, f"rule {claim.rule} is not known here", UNDECIDED)
        lines = without_reasons(claim, [line_of(one) for one in records])
        return CONFIRMED, proof_of(claim.rule)(claim, lines)
    except Unproved as problem:
        return problem.args[0], problem.args[1]
