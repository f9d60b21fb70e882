"""Proves again what findings say of moves and states, from the bytes of their records."""

import re
from collections.abc import Sequence

from jobs.verify.proof import (
    NOT_CONFIRMED,
    THING,
    UNDECIDED,
    Claim,
    Line,
    Unproved,
    dashed,
    require,
    require_span,
)

# ReplicaStateMachine and PartitionStateMachine, 0.8.1 to 3.9: target state, and the states before it.
ALIVE = "NewReplica OnlineReplica OfflineReplica ReplicaDeletionIneligible"
LED = "NewPartition OnlinePartition OfflinePartition"
LEGAL = {
    "NewReplica": "NonExistentReplica", "OnlineReplica": ALIVE, "OfflineReplica": ALIVE,
    "ReplicaDeletionStarted": "OfflineReplica", "ReplicaDeletionSuccessful": "ReplicaDeletionStarted",
    "ReplicaDeletionIneligible": "ReplicaDeletionStarted", "NonExistentReplica": "ReplicaDeletionSuccessful",
    "NewPartition": "NonExistentPartition", "NonExistentPartition": "OfflinePartition",
    "OnlinePartition": LED, "OfflinePartition": LED,
}  # fmt: skip
LEGAL_FROM_2_3 = ("OfflineReplica", "ReplicaDeletionIneligible")  # KAFKA-8237

REFUSAL = re.compile(
    r"(?:IllegalStateException|AssertionError): .*?(?:Replica|Partition) "
    r"(?:\[Topic=(?P<topic>[^,]+),Partition=(?P<number>\d+),Replica=(?P<replica>\d+)\]|(?P<partition>\S+)) should be"
    r" in (?:the|one of) (?P<legal>\S+) states before moving to (?P<entered>\w+) state\. Instead it is in (?P<left>\w+)"
)


def counted(claim: Claim, moves: Sequence[Line]) -> str:
    controller, epoch = claim.text("controller_id"), claim.known("controller_epoch")
    count, is_replica = claim.number("moves_count"), claim.text("machine") == "replica"
    require(0 < len(moves) <= count, f"{len(moves)} such records for {count} move(s)")
    for line in moves:
        require(line.move, f"{line.place()} is no move")
        is_of_it = line.move["id"] == controller and line.move["epoch"] in (None, epoch)
        require(is_of_it, f"{line.place()} is of controller {line.move['id']}, epoch {line.move['epoch']}")
        is_of_machine = (line.move["replica"] is not None) == is_replica
        states = (line.move["left"], line.move["entered"])
        require(is_of_machine and states == pair(claim), f"{line.place()} is another move")
        is_within = claim.valid_from_at <= line.at() <= (claim.valid_until_at or line.at())
        require(is_within, f"{line.place()} is of {line.at()}")
    first = moves[0].move["partition"]
    require(first == claim.partition(), f"the first record is of {first}")
    return f"{len(moves)} of {count} move(s) stand in these records"


def pair(claim: Claim) -> tuple[str, str]:
    """The states that are left and entered."""
    return claim.text("from_state"), claim.text("to_state")


def illegal_move(claim: Claim, lines: Sequence[Line]) -> str:
    sentence = counted(claim, lines)
    left, entered = pair(claim)
    require(all(line.move["done"] for line in lines), "a record says that the move failed")
    require(entered in LEGAL and left not in LEGAL[entered].split(), "the move is legal in every release")
    is_told = (left, entered) != LEGAL_FROM_2_3 or not any(line.move["new"] for line in lines)
    require(is_told, "the move is legal from 2.3 on, and the lines do not tell the release", UNDECIDED)
    return f"{sentence}, done and not legal"


def refused_move(claim: Claim, lines: Sequence[Line]) -> str:
    sentence = counted(claim, lines)
    for line in lines:
        found = None if line.move["done"] else REFUSAL.search(line.whole)
        if found is None:
            raise Unproved(NOT_CONFIRMED, f"{line.place()} has no refusal")
        thing = dashed(found["partition"] or f"{found['topic']}-{found['number']}")
        refused = (thing, found["replica"], found["left"], found["entered"])
        wanted = tuple(line.move[name] for name in (*THING, "left", "entered"))
        require(refused == wanted, f"{line.place()} refuses another move")
        require(found["left"] not in found["legal"].split(","), f"{line.place()} calls the move legal")
    return f"{sentence}, each refused by the exception below it"


def discontinuity(claim: Claim, lines: Sequence[Line]) -> str:
    """Of each move two records: its own, then that of the last move of the same object."""
    moves, previous = lines[::2], lines[1::2]
    sentence = counted(claim, moves)
    require(len(moves) == len(previous), "a move has no record of the one before it")
    for line, last in zip(moves, previous, strict=True):
        is_same = last.move and all(last.move[name] == line.move[name] for name in (*THING, "id", "epoch"))
        require(is_same, f"{last.place()} is no move of the same object and epoch")
        in_file = last.record.path == line.record.path
        is_before = last.record.byte_offset < line.record.byte_offset if in_file else last.at() <= line.at()
        require(is_before, f"{last.place()} is not before {line.place()}")
        require(line.move["done"], f"{line.place()} says that the move failed")
        state = last.move["entered" if last.move["done"] else "left"]
        require(state != line.move["left"], f"{line.place()} leaves from the state entered before")
    is_trace = all(line.head and "TRACE" in line.head.group("first", "level") for line in lines)
    require(is_trace, "lines above TRACE do not tell whether all moves were printed", UNDECIDED)
    return f"{sentence}, each after one into another state; that none is between them no record shows"


def replay_disagreement(claim: Claim, lines: Sequence[Line]) -> str:
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
