"""The proof of deposed_controller_wrote, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.terms import controller_of, elected_controller


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    node_id, epoch = controller_of(claim)
    count = claim.number("writes_count")
    (own, own_at), (_, after_at) = elected_controller(lines, epoch), elected_controller(lines, epoch + 1)
    require_proof(own == node_id and own_at < after_at, f"no record elects controller {node_id} before")
    moves = [line for line in lines if line.move]
    require_proof(0 < len(moves) <= count, f"{len(moves)} such records for {count} write(s)")
    for line in moves:
        is_its = (line.move["id"], line.move["epoch"]) == (str(node_id), str(epoch))
        is_write = line.move["done"] and line.move["entered"] == "OnlinePartition"
        require_proof(
            is_its and is_write, f"{line.place()} is no write of controller {node_id} (epoch {epoch})"
        )
        require_proof(line.at() > after_at, f"{line.place()} is not after {after_at}")
    require_span(claim, after_at, max(line.at() for line in moves), claim.number("late_ms"))
    return f"{len(moves)} of {count} write(s) stand in records after {after_at}"
