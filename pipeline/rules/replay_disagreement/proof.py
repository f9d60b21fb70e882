"""The proof of replay_disagreement, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.moves import LEGAL, LEGAL_FROM_2_3, REFUSAL, claimed_states
from pipeline.rules.proving.proof import (
    NOT_CONFIRMED,
    UNDECIDED,
    Claim,
    ProofLine,
    Unproved,
    require_proof,
    require_span,
)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    return CHECKS.get(claim.text("check"), other_check)(claim, lines)


def prove_dump_difference(claim: Claim, lines: Sequence[ProofLine]) -> str:
    topic, number, replica = claim.text("topic"), claim.number("partition"), claim.known_number("replica_id")
    theirs, ours = claim.known("kafka_state"), claim.text("replay_state")
    is_of_machine = (replica is not None) == (claim.text("machine") == "replica")
    require_proof(is_of_machine, "the state is of another machine")
    end = rf",Partition={number},Replica={replica}\]" if replica is not None else rf"[-,]{number}\]?"
    require_span(claim, lines[0].at(), lines[0].at())
    named = re.search(rf"[\[=( ]{re.escape(topic)}{end} -> (\w+)", lines[0].whole)
    require_proof(
        (named[1] if named else None) == theirs,
        f"{lines[0].place()} does not say {theirs} of {topic}-{number}",
    )
    own = [one.move for one in lines[1:] if one.move.get("partition") == f"{topic}-{number}"]
    of_it = [one for one in own if one["replica"] == (None if replica is None else str(replica))]
    has_ours = any(ours in {one["left"], one["entered"]} for one in of_it)
    require_proof(has_ours, f"no move shows {ours}")
    return (
        f"the dump says {theirs or 'nothing'}, a move {ours}; that no other is between them no record shows"
    )


def allowed_states_in_refusal(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The states that are named by the record that refuses the first move that differs. The first record is the first
    refusal of its day."""
    require_span(claim, lines[0].at(), lines[0].at())
    is_of_replica = claim.text("machine") == "replica"
    for line in lines:
        is_it = line.move and (line.move["left"], line.move["entered"]) == claimed_states(claim)
        found = REFUSAL.search(line.whole) if is_it and not line.move["done"] else None
        if (
            found
            and line.move["partition"] == claim.partition()
            and (found["replica"] is None) != is_of_replica
        ):
            return found["legal"]
    raise Unproved(
        NOT_CONFIRMED, f"no record refuses {' -> '.join(claimed_states(claim))} of {claim.partition()}"
    )


def refused_pair(claim: Claim, lines: Sequence[ProofLine]) -> str:
    legal = allowed_states_in_refusal(claim, lines)
    left, entered = claimed_states(claim)
    require_proof(
        claimed_states(claim) != LEGAL_FROM_2_3,
        "the move is legal from 2.3 on, and the lines do not tell",
        UNDECIDED,
    )
    require_proof(left in LEGAL.get(entered, "").split(), "the move is legal in no release")
    return f"the record refuses it as it allows {legal} only"


def valid_previous_states(claim: Claim, lines: Sequence[ProofLine]) -> str:
    named, entered = sorted(allowed_states_in_refusal(claim, lines).split(",")), claimed_states(claim)[1]
    legal = LEGAL.get(entered, "").split()
    later = [LEGAL_FROM_2_3[0]] if entered == LEGAL_FROM_2_3[1] else []
    require_proof(
        named != sorted(legal) or later, f"the record names the states before {entered} that are legal"
    )
    is_other = named not in (sorted(legal), sorted(legal + later))
    require_proof(
        is_other, "the list is that of some release, and the lines do not tell which it is", UNDECIDED
    )
    return f"the record names {','.join(named)} before {entered}"


def other_check(claim: Claim, _: Sequence[ProofLine]) -> str:
    raise Unproved(UNDECIDED, f"no rule proves {claim.text('check')}")


CHECKS = {
    "initial_state_dump": prove_dump_difference,
    "refused_pair": refused_pair,
    "valid_previous_states": valid_previous_states,
}
