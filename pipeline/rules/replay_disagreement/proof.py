"""The proof of replay_disagreement, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.moves import LEGAL, LEGAL_FROM_2_3, REFUSAL, pair
from pipeline.rules.proving.proof import (
    NOT_CONFIRMED,
    UNDECIDED,
    Claim,
    Line,
    Unproved,
    require,
    require_span,
)


def prove(claim: Claim, lines: Sequence[Line]) -> str:
    return CHECKS.get(claim.text("check"), other_check)(claim, lines)


def dump(claim: Claim, lines: Sequence[Line]) -> str:
    topic, number, replica = claim.text("topic"), claim.number("partition"), claim.known_number("replica_id")
    theirs, ours = claim.known("kafka_state"), claim.text("replay_state")
    is_of_machine = (replica is not None) == (claim.text("machine") == "replica")
    require(is_of_machine, "the state is of another machine")
    end = rf",Partition={number},Replica={replica}\]" if replica is not None else rf"[-,]{number}\]?"
    require_span(claim, lines[0].at(), lines[0].at())
    named = re.search(rf"[\[=( ]{re.escape(topic)}{end} -> (\w+)", lines[0].whole)
    require(
        (named[1] if named else None) == theirs,
        f"{lines[0].place()} does not say {theirs} of {topic}-{number}",
    )
    own = [one.move for one in lines[1:] if one.move.get("partition") == f"{topic}-{number}"]
    of_it = [one for one in own if one["replica"] == (None if replica is None else str(replica))]
    has_ours = any(ours in {one["left"], one["entered"]} for one in of_it)
    require(has_ours, f"no move shows {ours}")
    return (
        f"the dump says {theirs or 'nothing'}, a move {ours}; that no other is between them no record shows"
    )


def refusal(claim: Claim, lines: Sequence[Line]) -> str:
    """The states that are named by the record that refuses the first move that differs. The first record is the first
    refusal of its day."""
    require_span(claim, lines[0].at(), lines[0].at())
    is_of_replica = claim.text("machine") == "replica"
    for line in lines:
        is_it = line.move and (line.move["left"], line.move["entered"]) == pair(claim)
        found = REFUSAL.search(line.whole) if is_it and not line.move["done"] else None
        if (
            found
            and line.move["partition"] == claim.partition()
            and (found["replica"] is None) != is_of_replica
        ):
            return found["legal"]
    raise Unproved(NOT_CONFIRMED, f"no record refuses {' -> '.join(pair(claim))} of {claim.partition()}")


def refused_pair(claim: Claim, lines: Sequence[Line]) -> str:
    legal = refusal(claim, lines)
    left, entered = pair(claim)
    require(
        pair(claim) != LEGAL_FROM_2_3, "the move is legal from 2.3 on, and the lines do not tell", UNDECIDED
    )
    require(left in LEGAL.get(entered, "").split(), "the move is legal in no release")
    return f"the record refuses it as it allows {legal} only"


def valid_previous_states(claim: Claim, lines: Sequence[Line]) -> str:
    named, entered = sorted(refusal(claim, lines).split(",")), pair(claim)[1]
    legal = LEGAL.get(entered, "").split()
    later = [LEGAL_FROM_2_3[0]] if entered == LEGAL_FROM_2_3[1] else []
    require(named != sorted(legal) or later, f"the record names the states before {entered} that are legal")
    is_other = named not in (sorted(legal), sorted(legal + later))
    require(is_other, "the list is that of some release, and the lines do not tell which it is", UNDECIDED)
    return f"the record names {','.join(named)} before {entered}"


def other_check(claim: Claim, _: Sequence[Line]) -> str:
    raise Unproved(UNDECIDED, f"no rule proves {claim.text('check')}")


CHECKS = {
    "initial_state_dump": dump,
    "refused_pair": refused_pair,
    "valid_previous_states": valid_previous_states,
}
