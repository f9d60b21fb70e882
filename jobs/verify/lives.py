"""Proves findings about clusters that began anew again, and about refused registrations."""

import re
from collections.abc import Sequence

from jobs.verify.proof import UNDECIDED, Claim, Line, require, require_span
from jobs.verify.terms import ACTIVE, EPOCH

CREATED = re.compile(r"Creating new QuorumController with clusterId ([\w-]+)")
REFUSED = re.compile(r"registerBroker\b.*DuplicateBrokerRegistrationException")


def new_life(claim: Claim, lines: Sequence[Line]) -> str:
    return of_cluster(claim, lines) if claim.known("new_cluster") else of_epochs(claim, lines)


def of_cluster(claim: Claim, lines: Sequence[Line]) -> str:
    """A node that starts with the one id of a cluster, and later with the other."""
    old, new = claim.text("old_cluster"), claim.text("new_cluster")
    ids = [found[1] if (found := CREATED.search(line.text)) else None for line in lines]
    require(ids == [old, new] and old != new, f"no record says cluster {old}, then {new}")
    nodes = {line.node_id() for line in lines}
    require(nodes == {claim.number("node_id")}, "the records are of other nodes")
    require(lines[0].at() < lines[1].at(), "they are in another order")
    require_span(claim, lines[1].at(), lines[1].at())
    return f"cluster {old} {lines[0].at()}, {new} {lines[1].at()}"


def of_epochs(claim: Claim, lines: Sequence[Line]) -> str:
    """An election with epoch 1 after one with another."""
    epochs = {
        int(found[1]): line
        for line in sorted(lines, key=Line.at)
        if (found := EPOCH.search(line.text) or ACTIVE.search(line.text))
    }
    old, new = claim.number("old_epoch"), claim.number("controller_epoch")
    own = claim.number("controller_id")
    require(new in epochs and epochs[new].node_id() == own, f"no record elects {own} with epoch {new}")
    require_span(claim, epochs[new].at(), epochs[new].at())
    before = [number for number in epochs if number != new]
    require(before, "no record elects the one before", UNDECIDED)
    require(before == [old], f"the one before has epoch {before[0]}")
    require(new == 1 and epochs[old].at() < epochs[new].at(), "they are in another order")
    return f"epoch {old} {epochs[old].at()}, epoch {new} {epochs[new].at()}"


def refused_registration(claim: Claim, lines: Sequence[Line]) -> str:
    """Up to so many of the refusals stand there; that the broker is the one named the lines do not say."""
    require(all(REFUSED.search(line.text) for line in lines), "a record refuses no broker")
    count = claim.number("refused_count")
    require(len(lines) <= count, f"{len(lines)} records for {count}")
    require(lines[0].at() == claim.valid_from_at, f"{lines[0].place()} is not the first")
    require(len(lines) == count, f"{len(lines)} of {count} refusals stand here", UNDECIDED)
    require_span(claim, lines[0].at(), lines[-1].at(), claim.number("lasted_ms"))
    return f"refused {count} times, {lines[0].at()} to {lines[-1].at()}"
