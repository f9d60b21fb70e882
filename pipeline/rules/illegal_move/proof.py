"""The proof of illegal_move, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.moves import LEGAL, LEGAL_FROM_2_3, claimed_states, prove_move_count
from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, require_proof


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    sentence = prove_move_count(claim, lines)
    left, entered = claimed_states(claim)
    require_proof(all(line.move["done"] for line in lines), "a record says that the move failed")
    require_proof(
        entered in LEGAL and left not in LEGAL[entered].split(), "the move is legal in every release"
    )
    is_told = (left, entered) != LEGAL_FROM_2_3 or not any(line.move["new"] for line in lines)
    require_proof(is_told, "the move is legal from 2.3 on, and the lines do not tell the release", UNDECIDED)
    return f"{sentence}, done and not legal"
