"""The proof of discontinuity, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.moves import prove_move_count
from pipeline.rules.proving.proof import THING, UNDECIDED, Claim, ProofLine, require_proof


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Of each move two records: its own, then that of the last move of the same object."""
    moves, previous = lines[::2], lines[1::2]
    sentence = prove_move_count(claim, moves)
    require_proof(len(moves) == len(previous), "a move has no record of the one before it")
    for line, last in zip(moves, previous, strict=True):
        is_same = last.move and all(last.move[name] == line.move[name] for name in (*THING, "id", "epoch"))
        require_proof(is_same, f"{last.place()} is no move of the same object and epoch")
        in_file = last.record.path == line.record.path
        is_before = last.record.byte_offset < line.record.byte_offset if in_file else last.at() <= line.at()
        require_proof(is_before, f"{last.place()} is not before {line.place()}")
        require_proof(line.move["done"], f"{line.place()} says that the move failed")
        state = last.move["entered" if last.move["done"] else "left"]
        require_proof(state != line.move["left"], f"{line.place()} leaves from the state entered before")
    is_trace = all(line.head and "TRACE" in line.head.group("first", "level") for line in lines)
    require_proof(is_trace, "lines above TRACE do not tell whether all moves were printed", UNDECIDED)
    return f"{sentence}, each after one into another state; that none is between them no record shows"
