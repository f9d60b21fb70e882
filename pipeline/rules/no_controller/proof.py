"""The proof of no_controller, from its records alone."""

import re
from collections.abc import Sequence
from datetime import datetime

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.terms import ACTIVE, controller_of, elected_controller

VACANT = re.compile(r"In the new epoch (\d+), the leader is \(none\)")
HEARD = re.compile(r"In the new epoch (\d+), the leader is (\d+)\.")
STATE = re.compile(r"Completed transition to (?:Leader(?:State)?|FollowerState)\(.*?\bepoch=(\d+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    at_most_ms = claim.known_number("at_most_ms")
    if at_most_ms is None:
        return no_leader_of_quorum(claim, lines)
    node_id, epoch = controller_of(claim)
    active = {int(found[1]): one for one in lines if (found := ACTIVE.search(one.text))}
    if epoch in active:
        own, own_at = active[epoch].node_id(), active[epoch].at()
        after_at = min((one.at() for number, one in active.items() if number > epoch), default=own_at)
    else:
        (own, own_at), (_, after_at) = elected_controller(lines, epoch), elected_controller(lines, epoch + 1)
    seen = [one.at() for one in lines if one.node_id() == own and own_at <= one.at() < after_at]
    require_proof(seen and own == node_id, f"no record of controller {node_id} is before {after_at}")
    require_span(claim, max(seen), after_at, at_most_ms)
    return f"last line {max(seen)}, next elected {after_at}; that none is between them no record shows"


def no_leader_of_quorum(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Of KRaft: the controller was active, or others name it as leader; one heard that nobody leads; and who led next,
    if any."""
    node_id, epoch = controller_of(claim)
    at_least_ms = claim.known_number("at_least_ms")
    led = quorum_leaders_by_epoch(lines)
    require_proof(epoch in led and led[epoch][0] == node_id, f"no record of controller {node_id}")
    later = [at for number, (_, at) in led.items() if number > epoch]
    vacant = [one.at() for one in lines if (found := VACANT.search(one.text)) and int(found[1]) > epoch]
    is_told = vacant and (later or at_least_ms is None)
    require_proof(is_told, "no record says that nobody leads, or who led next")
    since, until = min(vacant), min(later, default=None)
    is_between = led[epoch][1] < since and (until is None or since < until)
    require_proof(is_between, f"{since} is not between the two")
    require_span(claim, since, until, at_least_ms)
    return f"heard at {since} that nobody leads, next active {until or 'never'}"


def quorum_leaders_by_epoch(lines: Sequence[ProofLine]) -> dict[int, tuple[int | None, datetime]]:
    """By epoch of a quorum who led it, and when it said so, or another one heard of it first."""
    found: dict[int, tuple[int | None, datetime]] = {}
    for line in sorted(lines, key=ProofLine.at):
        if heard := HEARD.search(line.text):
            found.setdefault(int(heard[1]), (int(heard[2]), line.at()))
        elif state := STATE.search(line.text):
            found.setdefault(int(state[1]), (None, line.at()))
    active = {int(one[1]): (line.node_id(), line.at()) for line in lines if (one := ACTIVE.search(line.text))}
    return found | active
