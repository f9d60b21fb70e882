"""Machines with one cell flipped, normal moves with one row changed, and which checks see it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from pipeline.core.machine import Machine
from pipeline.kafka.machines.by_release import NormalMove, machines_by_name
from tests.replay import naive
from tests.replay.checks import Check

MADE = "made"  # the machine refused to be made


def cells() -> Iterator[tuple[str, int, int]]:
    """(machine, from, to) of every cell of every matrix."""
    for name, machine in machines_by_name().items():
        for one, other in product(range(len(machine.states)), repeat=2):
            yield name, one, other


def flipped(name: str, one: int, other: int) -> Machine:
    matrix = machines_by_name()[name].matrix.copy()
    matrix[one, other] = not matrix[one, other]
    return replace(machines_by_name()[name], matrix=matrix)


def killers(cell: tuple[str, int, int], checks: Sequence[Check]) -> list[str]:
    """Names of what fails on the machine with this cell flipped."""
    try:
        mutant = flipped(*cell)
    except ValueError:
        return [MADE]
    return [check.__name__ for check in checks if check(mutant)]


def changed_moves(moves: Sequence[NormalMove]) -> Iterator[tuple[NormalMove, ...]]:
    """Each row left out, twice, of another machine, verdict, label or pair; and each pair that is not normal added."""
    for at, move in enumerate(moves):
        rest = (*moves[:at], *moves[at + 1 :])
        yield rest
        yield (*moves, move)
        yield (*rest, replace(move, verdict="failed"))
        yield (*rest, replace(move, machine="partition"))
        yield (*rest, replace(move, label="item 0"))
        yield (*rest, replace(move, replica_machine="R3"))
        yield (*rest, replace(move, from_state=move.to_state, to_state=move.from_state + "?"))
    known = {(move.replica_machine, move.from_state, move.to_state) for move in moves}
    for machine in ("R1", "R2", "unknown"):
        for one, other in product(naive.states("replica"), repeat=2):
            if (machine, one, other) not in known:
                added = replace(moves[0], replica_machine=machine, from_state=one, to_state=other)
                yield (*moves, added)
