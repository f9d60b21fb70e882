"""The trigger table against the matrices of the machines, the causes that lines tell, and Kafka's source."""

from collections import Counter
from itertools import pairwise

import pytest

from pipeline.kafka.machines.by_release import KINDS, STATES, machines_by_name, normal_moves
from pipeline.kafka.machines.triggers import Trigger, read_triggers, trigger_of_move
from pipeline.kafka.wording.causes import cause_openers
from pipeline.kafka.wording.events import is_before

# Elections that a line of another event words, and what the controller's own check asks for: causing.py.
WORDED = {"unclean election"}
LEGAL = {
    (kind, from_state, to_state)
    for kind, names in KINDS.items()
    for name in names
    for from_state in STATES[kind]
    for to_state in STATES[kind]
    if machines_by_name()[name].allows(from_state, to_state)
}
MADE = {(one.machine, from_state, one.to_state) for one in read_triggers() for from_state in one.from_states}


def test_every_legal_move_is_made_by_a_row_and_no_row_makes_another_but_those_that_kafka_refuses() -> None:
    refused = {(one.machine, one.from_state, one.to_state) for one in normal_moves()}
    assert LEGAL <= MADE
    assert not MADE - LEGAL - refused


@pytest.mark.parametrize(("machine", "count"), [("replica", 18), ("partition", 10)])
def test_0_10_2_has_the_rows_of_its_source(machine: str, count: int) -> None:
    """git grep handleStateChanges\\|triggerOnlinePartitionStateChange 0.10.2.2 -- core/src/main/scala/kafka/controller;
    each machine's own start is beside them."""
    of_release = [
        one for one in read_triggers() if one.machine == machine and not is_before("0.10.2", one.since)
    ]
    starts = [one for one in of_release if one.name.endswith("StateMachine.startup")]
    assert (len(of_release) - len(starts), len(starts)) == (count, 1)


def test_rows_are_of_causes_that_lines_tell() -> None:
    told = {one.cause for one in cause_openers() if one.cause} | WORDED
    assert {cause for one in read_triggers() for cause in one.causes} == told


def test_no_row_is_there_twice_and_names_go_on_from_release_to_release() -> None:
    rows = Counter((one.name, one.machine, one.to_state, one.causes) for one in read_triggers())
    assert set(rows.values()) == {1}
    for one in read_triggers():
        begins = [since for since, _ in one.methods]
        assert begins[0] == one.since, one
        assert all(is_before(a, b) for a, b in pairwise(begins)), one
        assert one.methods[-1][1] == one.name, one


def test_a_replica_that_cannot_be_deleted_is_the_one_move_that_two_rows_make_for_one_cause() -> None:
    """A dead one when the deletion begins, one whose broker fails or answers with an error later: the first row has
    it, and of these only what a deletion in progress leaves."""
    makes: dict[tuple[str, str, str, str], list[Trigger]] = {}
    for one in read_triggers():
        for from_state in one.from_states:
            for cause in one.causes:
                makes.setdefault((one.machine, from_state, one.to_state, cause), []).append(one)
    twice = {move: [one.name for one in found] for move, found in makes.items() if len(found) > 1}
    assert {(to_state, cause) for _, _, to_state, cause in twice} == {
        ("ReplicaDeletionIneligible", "topic deletion")
    }
    assert {tuple(names) for names in twice.values()} == {
        ("TopicDeletionManager.onPartitionDeletion", "TopicDeletionManager.failReplicaDeletion")
    }


def test_a_move_without_a_known_cause_is_named_where_one_method_alone_makes_it() -> None:
    named = trigger_of_move()
    new, started = ("NonExistentReplica", "NewReplica"), ("OfflineReplica", "ReplicaDeletionStarted")
    assert ("replica", *new, "unknown") not in named
    assert ("replica", *started, "unknown") not in named
    of_partition = ("partition", "NonExistentPartition", "NewPartition", "unknown")
    assert named[of_partition] == "KafkaController.onNewPartitionCreation"
    assert ("replica", *new, "controlled shutdown") not in named
