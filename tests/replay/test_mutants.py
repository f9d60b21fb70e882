"""Whatever single cell or row is changed, a check fails; and none fails on what the product has."""

from collections import Counter

import pytest

from pipeline.kafka.machines.by_release import machines_by_name, normal_moves
from tests.replay.checks import (
    CHECKS,
    DOCUMENT,
    Check,
    as_documented,
    as_judged,
    as_kafka_has_it,
    normal_as_documented,
)
from tests.replay.mutants import MADE, cells, changed_moves, flipped, killers

CELLS = tuple(cells())
needs_document = pytest.mark.skipif(not DOCUMENT.is_file(), reason=f"the matrices are not at {DOCUMENT}")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", machines_by_name())
def test_machine_is_right(name: str, check: Check) -> None:
    assert not check(machines_by_name()[name])


def test_every_cell_counts() -> None:
    assert Counter(name for name, _, _ in CELLS) == {"R1": 49, "R2": 49, "P1": 16}


@pytest.mark.soak
def test_any_flipped_cell_is_seen_by_every_check() -> None:
    every = [check.__name__ for check in CHECKS]
    survivors = {cell: found for cell in CELLS if (found := killers(cell, CHECKS)) not in (every, [MADE])}
    assert not survivors


def test_machine_of_a_state_that_nothing_reaches_cannot_be_made() -> None:
    unmade = {cell for cell in CELLS if killers(cell, ()) == [MADE]}
    assert {(name, machines_by_name()[name].states[to]) for name, _, to in unmade} == {
        ("R1", "NewReplica"),
        ("R1", "ReplicaDeletionStarted"),
        ("R1", "ReplicaDeletionSuccessful"),
        ("R2", "NewReplica"),
        ("R2", "ReplicaDeletionStarted"),
        ("R2", "ReplicaDeletionSuccessful"),
    }


def test_a_mutant_leaves_nothing_behind() -> None:
    mutant = flipped("P1", 0, 0)
    assert as_judged(mutant)
    assert as_kafka_has_it(mutant) == ["NewPartition to NewPartition"]
    assert not as_judged(machines_by_name()["P1"])


@needs_document
def test_matrices_are_those_of_the_document() -> None:
    assert {name: as_documented(machine) for name, machine in machines_by_name().items()} == {
        "R1": [],
        "R2": [],
        "P1": [],
    }


@needs_document
def test_any_flipped_cell_is_seen_in_the_document() -> None:
    assert all(killers(cell, [as_documented]) for cell in CELLS)


def test_normal_moves_are_those_that_kafka_is_known_for() -> None:
    assert not normal_as_documented(normal_moves())


def test_any_changed_normal_move_is_seen() -> None:
    survivors = [moves for moves in changed_moves(normal_moves()) if not normal_as_documented(moves)]
    assert not survivors
