"""The judgement move by move with one dictionary: the rules as the documentation words them, nothing derived.

It shares no code with `pipeline`; what Kafka allows is written down as Kafka does it, target by target.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

# kafka.controller.ReplicaState.validPreviousStates and PartitionState.validPreviousStates, by target.
REPLICA_UP_TO_2_2 = {
    "NewReplica": {"NonExistentReplica"},
    "OnlineReplica": {"NewReplica", "OnlineReplica", "OfflineReplica", "ReplicaDeletionIneligible"},
    "OfflineReplica": {"NewReplica", "OnlineReplica", "OfflineReplica", "ReplicaDeletionIneligible"},
    "ReplicaDeletionStarted": {"OfflineReplica"},
    "ReplicaDeletionSuccessful": {"ReplicaDeletionStarted"},
    "ReplicaDeletionIneligible": {"ReplicaDeletionStarted"},
    "NonExistentReplica": {"ReplicaDeletionSuccessful"},
}
VALID_PREVIOUS = {
    "R1": REPLICA_UP_TO_2_2,
    "R2": REPLICA_UP_TO_2_2
    | {"ReplicaDeletionIneligible": {"OfflineReplica", "ReplicaDeletionStarted"}},  # KAFKA-8237
    "P1": {
        "NewPartition": {"NonExistentPartition"},
        "OnlinePartition": {"NewPartition", "OnlinePartition", "OfflinePartition"},
        "OfflinePartition": {"NewPartition", "OnlinePartition", "OfflinePartition"},
        "NonExistentPartition": {"OfflinePartition"},
    },
}
# What an object may be in before its first line of a term.
AT_STARTUP = {
    "replica": {"OnlineReplica", "ReplicaDeletionIneligible", "NonExistentReplica"},
    "partition": {"NewPartition", "OnlinePartition", "OfflinePartition", "NonExistentPartition"},
}
# Targets whose lines are TRACE only (KAFKA-8470), and those that some releases enter without any line.
TRACE_ONLY = {
    "R1": set(VALID_PREVIOUS["R1"]),
    "R2": set(VALID_PREVIOUS["R2"]),
    "P1": {"OfflinePartition", "NonExistentPartition"},
}
SOMETIMES_SILENT = {"R1": {"OnlineReplica"}, "R2": set[str](), "P1": set[str]()}
# Refusals of healthy controllers: (machine, from, to). A block of an unknown release has those of any.
NORMAL_REFUSALS = {
    "KAFKA-8237": {("R1", "OfflineReplica", "ReplicaDeletionIneligible")},
    # TopicDeletionManager.failReplicaDeletion and KafkaController.onBrokerStartup ask whatever the state is.
    "item 11": {
        (machine, *pair)
        for machine in ("R1", "R2")
        for pair in (
            ("ReplicaDeletionIneligible", "ReplicaDeletionIneligible"),
            ("ReplicaDeletionSuccessful", "ReplicaDeletionIneligible"),
            ("ReplicaDeletionSuccessful", "OnlineReplica"),
        )
    },
    "item 21": {
        ("R2", "NewReplica", "NewReplica"),
        ("R2", "OnlineReplica", "NewReplica"),
        ("R2", "OfflineReplica", "NewReplica"),
    },
    "item 23": {("R1", "ReplicaDeletionSuccessful", "OfflineReplica")},
    "item 22": {
        ("R1", "OnlineReplica", "ReplicaDeletionIneligible"),
        ("R2", "OnlineReplica", "ReplicaDeletionIneligible"),
    },
}
MACHINES = {"replica": ("R1", "R2"), "partition": ("P1",)}
FOUND = {"refused", "failed", "illegal", "first", "valid", "same_state"}  # read off the lines themselves


class Move(NamedTuple):
    """One line; `thing` names the object in its block, `exception` is (class, message)."""

    thing: int
    from_state: str | None
    to_state: str | None
    is_done: bool
    level: str
    exception: tuple[str | None, str | None] = (None, None)


class Judgement(NamedTuple):
    """`previous`: place of the move that set the held state, if the verdict rests on it."""

    verdict: str
    continuity: str
    is_legal_pair: bool | None
    certainty: str
    normal: str | None
    previous: int | None


class Block(NamedTuple):
    """Where moves were found: the kind of machine, its name if the release is known, and whether the term is."""

    kind: str
    machine: str | None
    has_term: bool = True

    @property
    def machines(self) -> tuple[str, ...]:
        return (self.machine,) if self.machine else MACHINES[self.kind]


def judged(block: Block, moves: Sequence[Move]) -> list[Judgement]:
    """One judgement per move, in log order."""
    held: dict[int, tuple[str | None, int]] = {}
    judgements = []
    at_trace = [place for place, move in enumerate(moves) if move.level == "TRACE"]
    first, last = (at_trace[0], at_trace[-1]) if at_trace else (len(moves), 0)
    for place, move in enumerate(moves):
        state, setter = held.get(move.thing, ("", -1))
        is_traced = first <= setter and place <= last
        judgement, rests = judge(
            block,
            state,
            move.from_state,
            move.to_state,
            move.exception,
            is_done=move.is_done,
            is_traced=is_traced,
        )
        judgements.append(judgement._replace(previous=setter) if rests else judgement)
        if move.is_done:
            held[move.thing] = move.to_state, place
    return judgements


@cache
def judge(
    block: Block,
    held: str | None,
    from_state: str | None,
    to_state: str | None,
    exception: tuple[str | None, str | None],
    *,
    is_done: bool,
    is_traced: bool,
) -> tuple[Judgement, bool]:
    """The judgement without the place of the move before, and whether the held state matters.

    `held` is empty at first sight; `is_traced`: TRACE lines stand before the move that set it and after this one.
    """
    is_legal = legality(block, from_state, to_state)
    continuity = joined(block, held, from_state, is_traced=is_traced) if block.has_term else "unknown"
    if is_done:
        verdict = verdict_of_done(
            continuity, is_legal=is_legal, has_term=block.has_term, is_same=from_state == to_state
        )
    else:
        verdict = verdict_of_not_done(*exception, is_legal=is_legal)
    certainty = "proved" if verdict in FOUND else "undetermined" if verdict == "undetermined" else "inferred"
    rests = verdict in ("valid", "same_state", "hidden", "discontinuity")
    normal = normal_label(block, from_state, to_state) if verdict == "refused" else None
    return Judgement(verdict, continuity, is_legal, certainty, normal, None), rests


def legality(block: Block, from_state: str | None, to_state: str | None) -> bool | None:
    """Whether Kafka allows the pair; None where a name is unknown or the possible releases differ."""
    answers = set()
    for machine in block.machines:
        valid_previous = VALID_PREVIOUS[machine]
        if from_state not in valid_previous or to_state not in valid_previous:
            return None
        answers.add(from_state in valid_previous[to_state])
    return answers.pop() if len(answers) == 1 else None


def joined(block: Block, held: str | None, from_state: str | None, *, is_traced: bool) -> str:
    """How the state that a line leaves joins the state that the object was last seen to enter."""
    names = VALID_PREVIOUS[block.machines[0]]
    if from_state not in names or (held != "" and held not in names):
        return "unknown"
    if held == "":
        return "first" if from_state in AT_STARTUP[block.kind] else "unknown"
    if held == from_state:
        return "follows"
    unprinted = {machine: set() if is_traced else TRACE_ONLY[machine] for machine in block.machines}
    if all(from_state in after(machine, held, unprinted[machine]) for machine in block.machines):
        return "hidden"
    maybe = {machine: unprinted[machine] | SOMETIMES_SILENT[machine] for machine in block.machines}
    if any(from_state in after(machine, held, maybe[machine]) for machine in block.machines):
        return "unknown"
    return "broken"


def after(machine: str, state: str | None, entered: set[str]) -> set[str | None]:
    """States in which an object can be after any number of legal moves into `entered`."""
    found, waiting = {state}, [state]
    while waiting:
        last = waiting.pop()
        for target in entered:
            if last in VALID_PREVIOUS[machine][target] and target not in found:
                found.add(target)
                waiting.append(target)
    return found


def verdict_of_done(continuity: str, *, is_legal: bool | None, has_term: bool, is_same: bool) -> str:
    if is_legal is False:
        return "illegal"
    if is_legal is None or not has_term or continuity == "unknown":
        return "undetermined"
    if continuity == "follows":
        return "same_state" if is_same else "valid"
    return {"first": "first", "hidden": "hidden", "broken": "discontinuity"}[continuity]


def verdict_of_not_done(class_name: str | None, message: str | None, *, is_legal: bool | None) -> str:
    """Only the exception tells a refusal from a failure; one that is cut off decides nothing unless the pair is legal."""
    refuses = class_name is not None and class_name.split(".")[-1] in (
        "IllegalStateException",
        "AssertionError",
    )
    if refuses and message is not None and "should be in" in message:
        return "refused"
    is_cut = message is None and (class_name is None or refuses)
    return "undetermined" if is_cut and is_legal is not True else "failed"


def normal_label(block: Block, from_state: str | None, to_state: str | None) -> str | None:
    asked = {(machine, from_state, to_state) for machine in block.machines}
    return next((label for label, refusals in NORMAL_REFUSALS.items() if asked & refusals), None)


def states(kind: str) -> Sequence[str]:
    return tuple(VALID_PREVIOUS[MACHINES[kind][0]])
