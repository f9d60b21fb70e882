"""The controller's state machines in ZooKeeper mode: which moves are legal, silent or normal, per release."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pipeline.core.machine import BoolMatrix, Machine, legality_matrix, matrix_of
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.releases import release_names

REPLICA, PARTITION = "replica", "partition"
# Lines with which a machine starts, whole ones with the states of all its objects.
START_EVENTS = {"replica_state_machine_started": REPLICA, "partition_state_machine_started": PARTITION}
KINDS = {REPLICA: ("R1", "R2"), PARTITION: ("P1",)}
UNKNOWN_RELEASE = "unknown"

STATES = {
    REPLICA: (
        "NewReplica",
        "OnlineReplica",
        "OfflineReplica",
        "ReplicaDeletionStarted",
        "ReplicaDeletionSuccessful",
        "ReplicaDeletionIneligible",
        "NonExistentReplica",
    ),
    PARTITION: ("NewPartition", "OnlinePartition", "OfflinePartition", "NonExistentPartition"),
}
# Assigned without a line by initializeReplicaState and initializePartitionState.
# What is in no map does not exist.
STARTUP_STATES = {
    REPLICA: ("OnlineReplica", "ReplicaDeletionIneligible", "NonExistentReplica"),
    PARTITION: STATES[PARTITION],
}
SOURCE = {
    "R1": "kafka.controller.ReplicaStateMachine, 0.8.1 to 2.2: validPreviousStates",
    "R2": "kafka.controller.ReplicaState, 2.3 to 3.9: validPreviousStates; KAFKA-8237 (17c80166461) made "
    "OfflineReplica to ReplicaDeletionIneligible legal",
    "P1": "kafka.controller.PartitionStateMachine, 0.8.1 to 3.9: validPreviousStates",
}

# KAFKA-8470: from 2.6 on state.change.logger is at INFO as shipped; moves to these states are at TRACE.
HIDDEN_AT_INFO = {REPLICA: STATES[REPLICA], PARTITION: ("OfflinePartition", "NonExistentPartition")}
# Up to 1.0, at every level: a replica of a partition without leader information comes online without a line.
SILENT_IN_SOME = {"R1": ("OnlineReplica",), "R2": (), "P1": ()}


@dataclass(frozen=True)
class NormalMove:
    """A verdict on a pair that Kafka is known to produce in good health.

    `replica_machine`: R1, R2, or `unknown` where the release is undetermined; empty for partitions.
    `label`: the KAFKA number, or the item of the documentation; `sentence`: why it is normal.
    """

    machine: str
    replica_machine: str
    verdict: str
    from_state: str
    to_state: str
    label: str
    sentence: str


@dataclass(frozen=True, eq=False)
class Visibility:
    """What a log at some level tells of the way from one state to another; both n by n, [last, from].

    `explained`: moves that were not printed lead there, in every candidate machine.
    `complete`: no move that may stay unprinted leads there, in no candidate machine: a gap is a gap.
    """

    explained: BoolMatrix
    complete: BoolMatrix


@cache
def machines_by_name() -> dict[str, Machine]:
    """R1, R2 and P1 by name, from machines.tsv."""
    rows = read_fact_table("machines/machines.tsv")
    return {name: _machine(name, kind, rows) for kind, names in KINDS.items() for name in names}


def _machine(name: str, kind: str, rows: Sequence[dict[str, str]]) -> Machine:
    own = [row for row in rows if row["machine"] == name]
    ranges = {(row["since"], row["until"]) for row in own}
    if len(ranges) != 1:
        raise ValueError(f"machines.tsv: expected one range of releases of {name}, found {sorted(ranges)}")
    since, until = ranges.pop()
    pairs = [(row["from_state"], row["to_state"]) for row in own]
    matrix = matrix_of(STATES[kind], pairs)
    return Machine(name, STATES[kind], matrix, STARTUP_STATES[kind], since, until, SOURCE[name])


@cache
def machine_of_release() -> dict[str, str]:
    """Name of the replica machine by release, of the known releases that have one."""
    pairs = ((release, machine) for release in release_names() for machine in candidate_machines(REPLICA))
    return {release: machine.name for release, machine in pairs if _is_of(machine, release)}


def _is_of(machine: Machine, release: str) -> bool:
    until = _version(machine.until)
    return _version(machine.since) <= _version(release) and _version(release)[: len(until)] <= until


def _version(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def candidate_machines(kind: str, name: str | None = None) -> tuple[Machine, ...]:
    """The machines of `kind` that may have been at work: the named one, all while the release is unknown."""
    names = KINDS[kind] if name is None or len(KINDS[kind]) == 1 else (name,)
    if not set(names) <= set(KINDS[kind]):
        raise ValueError(f"{kind} machine: expected one of {KINDS[kind]}, found {name}")
    return tuple(machines_by_name()[each] for each in names)


@cache
def legality_for(kind: str, name: str | None = None) -> NDArray[np.int8]:
    """Per pair: 1 legal in all candidates, 0 in none, -1 in some; n by n, by position in STATES."""
    return legality_matrix(candidate_machines(kind, name))


@cache
def move_visibility(kind: str, name: str | None, *, is_trace_seen: bool) -> Visibility:
    """What two moves that do not join tell, where TRACE lines are seen around them or where they are not."""
    possible = candidate_machines(kind, name)
    hidden = () if is_trace_seen else HIDDEN_AT_INFO[kind]
    explained = np.all([m.reach(_entering(m, hidden)) for m in possible], axis=0)
    maybe = np.any([m.reach(_entering(m, (*hidden, *SILENT_IN_SOME[m.name]))) for m in possible], axis=0)
    return Visibility(explained, ~maybe)


def _entering(machine: Machine, to_states: tuple[str, ...]) -> BoolMatrix:
    """The moves into any of these states, n by n."""
    return np.broadcast_to(np.isin(machine.states, to_states), machine.matrix.shape)


def why_normal(machine: str, from_state: str, to_state: str) -> str:
    """What normal_moves.tsv says of that pair, with Kafka's number if it has one; empty where it does not call it
    normal in any release."""
    pair = (machine, from_state, to_state)
    found = [one for one in normal_moves() if (one.machine, one.from_state, one.to_state) == pair]
    if not found:
        return ""
    is_numbered = found[0].label.startswith("KAFKA-")
    return f"{found[0].label}: {found[0].sentence}" if is_numbered else found[0].sentence


@cache
def normal_moves() -> tuple[NormalMove, ...]:
    """The rows of normal_moves.tsv."""
    return tuple(NormalMove(**row) for row in read_fact_table("machines/normal_moves.tsv"))
