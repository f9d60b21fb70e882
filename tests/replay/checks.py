"""What is asked of a machine and of the normal moves: each check names what is wrong, nothing if all is right."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa

from pipeline.core.machine import Machine
from pipeline.kafka.machines.by_release import NormalMove, legality_for, machines_by_name, move_visibility
from tests.replay import naive
from tests.replay.generated import DONE, Generated, disagreements, expected

DOCUMENT = Path(__file__).resolve().parents[3] / "shared" / "kafka" / "transition-matrices.md"
SINCE = {"0.8.1 2.2": "R1", "2.3 3.9": "R2", "0.8.1 3.9": "P1"}
Check = Callable[[Machine], list[str]]


def as_kafka_has_it(machine: Machine) -> list[str]:
    """Against the valid previous states of Kafka's source."""
    valid_previous = naive.VALID_PREVIOUS[machine.name]
    return [
        f"{one} to {other}"
        for one, other in product(machine.states, repeat=2)
        if machine.allows(one, other) != (one in valid_previous[other])
    ]


def as_documented(machine: Machine) -> list[str]:
    """Against the matrices in the tab-separated block of the document."""
    told = document()[machine.name]
    return [
        f"{one} to {other}" for (one, other), valid in told.items() if machine.allows(one, other) != valid
    ]


def document() -> dict[str, dict[tuple[str, str], bool]]:
    """Every cell that the document states, by machine."""
    cells: dict[str, dict[tuple[str, str], bool]] = {name: {} for name in SINCE.values()}
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if columns[0] in naive.MACHINES and len(columns) == 6:
            _, since, until, one, other, valid = columns
            cells[SINCE[f"{since} {until}"]][one, other] = valid == "1"
    return cells


def as_judged(machine: Machine) -> list[str]:
    """Against the naive judge, on every pair of moves of one object."""
    kind = "partition" if machine.name == "P1" else "replica"
    with at_work(machine):
        return [
            each
            for is_trace in (True, False)
            for each in disagreements(*every_pair(naive.Block(kind, machine.name), is_trace=is_trace))
        ]


@cache
def every_pair(block: naive.Block, *, is_trace: bool) -> tuple[Generated, dict[str, pa.Array]]:
    """One object per two moves, the last done or refused, among known states; and what the naive judge says."""
    names = naive.states(block.kind)
    known = range(len(names))
    rows = [
        (thing, *pair, how)
        for thing, (first, second, last) in enumerate(
            product(product(known, repeat=2), product(known, repeat=2), (DONE, 0))
        )
        for pair, how in ((first, DONE), (second, last))
    ]
    thing, from_state, to_state, how = np.array(rows, dtype=np.int64).T
    generated = Generated(
        block, (*names, "OddState", None), thing, from_state, to_state, how, np.full(len(how), is_trace)
    )
    return generated, expected(generated)


@contextmanager
def at_work(machine: Machine) -> Iterator[None]:
    """The product judges by this machine instead of its own of that name."""
    own = machines_by_name()[machine.name]
    try:
        machines_by_name()[machine.name] = machine
        forget()
        yield
    finally:
        machines_by_name()[machine.name] = own
        forget()


def forget() -> None:
    for derived in (legality_for, move_visibility):
        derived.cache_clear()


def normal_as_documented(moves: Sequence[NormalMove]) -> list[str]:
    """Against the refusals that healthy controllers are known for."""
    told = {
        (label, machine, one, other)
        for label, refusals in naive.NORMAL_REFUSALS.items()
        for machine, one, other in refusals
    }
    told |= {(label, "unknown", one, other) for label, _, one, other in told}
    found = [
        (move.label, move.replica_machine, move.from_state, move.to_state)
        for move in moves
        if (move.machine, move.verdict) == ("replica", "refused")
    ]
    wrong = [move for move in moves if (move.machine, move.verdict) != ("replica", "refused")]
    twice = [each for each in found if found.count(each) > 1]
    return [" ".join(each) for each in [*sorted(told ^ set(found)), *twice]] + [str(move) for move in wrong]


CHECKS: tuple[Check, ...] = (as_kafka_has_it, as_judged)
