"""The proof of refused_move, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.moves import REFUSAL, prove_move_count
from pipeline.rules.proving.proof import (
    NOT_CONFIRMED,
    THING,
    Claim,
    ProofLine,
    Unproved,
    dashed_partition_name,
    require_proof,
)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    sentence = prove_move_count(claim, lines)
    for line in lines:
        found = None if line.move["done"] else REFUSAL.search(line.whole)
        if found is None:
            raise Unproved(NOT_CONFIRMED, f"{line.place()} has no refusal")
        thing = dashed_partition_name(found["partition"] or f"{found['topic']}-{found['number']}")
        refused = (thing, found["replica"], found["left"], found["entered"])
        wanted = tuple(line.move[name] for name in (*THING, "left", "entered"))
        require_proof(refused == wanted, f"{line.place()} refuses another move")
        require_proof(found["left"] not in found["legal"].split(","), f"{line.place()} calls the move legal")
    return f"{sentence}, each refused by the exception below it"
