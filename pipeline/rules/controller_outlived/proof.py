"""The proof of controller_outlived, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.terms import ACTIVE, RESIGNING, controller_of, elected_controller

RENOUNCING = re.compile(r"Renouncing (?:the )?leadership")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    node_id, epoch = controller_of(claim)
    if any(ACTIVE.search(line.text) for line in lines):
        return outlived_in_kraft(claim, lines)
    (own, own_at), (after, after_at) = elected_controller(lines, epoch), elected_controller(lines, epoch + 1)
    resigned = [one.at() for one in lines if RESIGNING.search(one.text) and one.node_id() == own]
    resigned_at = min(resigned, default=own_at)
    is_so = own == node_id and own_at < after_at < resigned_at
    require_proof(is_so, f"no record says that controller {node_id} resigned after {after_at}")
    require_span(claim, after_at, resigned_at, claim.number("late_ms"))
    return f"elected {own_at}, controller {after} elected {after_at}, resigned {resigned_at}"


def outlived_in_kraft(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Of KRaft, where an epoch may be nobody's: both were active, and the first renounced after the second was."""
    node_id, epoch = controller_of(claim)
    active = {int(found[1]): one for one in lines if (found := ACTIVE.search(one.text))}
    require_proof(
        epoch in active and active[epoch].node_id() == node_id, f"no record of controller {node_id}"
    )
    after_at = min((one.at() for number, one in active.items() if number > epoch), default=None)
    gave_up = [one.at() for one in lines if RENOUNCING.search(one.text) and one.node_id() == node_id]
    is_so = after_at is not None and bool(gave_up) and active[epoch].at() < after_at < min(gave_up)
    require_proof(is_so, f"no record says that controller {node_id} gave up after the next one was active")
    if after_at is not None:
        require_span(claim, after_at, min(gave_up), claim.number("late_ms"))
    return f"active {active[epoch].at()}, the next one {after_at}, gave up {min(gave_up)}"
