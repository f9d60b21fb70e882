"""The proof of new_life, from its records alone."""

import re
from collections.abc import Sequence
from datetime import datetime

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.terms import ACTIVE, ELECTED, EPOCH

CREATED = re.compile(r"Creating new QuorumController with clusterId ([\w-]+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    return (
        prove_new_cluster_id(claim, lines)
        if claim.known("new_cluster")
        else prove_restarted_epochs(claim, lines)
    )


def prove_new_cluster_id(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """A node that starts with the one id of a cluster, and later with the other."""
    old, new = claim.text("old_cluster"), claim.text("new_cluster")
    ids = [found[1] if (found := CREATED.search(line.text)) else None for line in lines]
    require_proof(ids == [old, new] and old != new, f"no record says cluster {old}, then {new}")
    nodes = {line.node_id() for line in lines}
    require_proof(nodes == {claim.number("node_id")}, "the records are of other nodes")
    require_proof(lines[0].at() < lines[1].at(), "they are in another order")
    require_span(claim, lines[1].at(), lines[1].at())
    return f"cluster {old} {lines[0].at()}, {new} {lines[1].at()}"


def prove_restarted_epochs(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """An election with epoch 1 after one with another, or of a second life with the same."""
    found = election_epochs(lines)
    old, new, own = claim.number("old_epoch"), claim.number("controller_epoch"), claim.number("controller_id")
    at = [place for place, one in enumerate(found) if one[:2] == (new, own)]
    require_proof(at, f"no record elects {own} with epoch {new}")
    begun = found[at[-1]][2]
    require_span(claim, begun, begun)
    others = found[: at[-1]] + found[at[-1] + 1 :]
    require_proof(others, "no record elects the one before", UNDECIDED)
    of_old = [since_at for epoch, _, since_at in others if epoch == old]
    require_proof(of_old, f"no record elects one with epoch {old}")
    require_proof(new == 1 and of_old[0] < begun, "they are in another order")
    return f"epoch {old} {of_old[0]}, epoch {new} {begun}"


def election_epochs(lines: Sequence[ProofLine]) -> list[tuple[int, int | None, datetime]]:
    """(epoch, node, since when) in order of time. Up to 2.0 the epoch stands on a later line than the election."""
    found = []
    elected_at: dict[int | None, datetime] = {}
    for line in sorted(lines, key=ProofLine.at):
        if ELECTED.search(line.text):
            elected_at.setdefault(line.node_id(), line.at())
        if active := ACTIVE.search(line.text):
            found.append((int(active[1]), line.node_id(), line.at()))
        elif (epoch := EPOCH.search(line.text)) and line.node_id() in elected_at:
            found.append((int(epoch[1]), line.node_id(), elected_at.pop(line.node_id())))
    return found
