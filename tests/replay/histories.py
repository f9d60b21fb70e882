"""All logs that a healthy controller can print of one object, by walking every history; nothing is derived."""

from functools import cache
from itertools import product

import numpy as np

from tests.replay import naive
from tests.replay.generated import DONE, Generated

Pair = tuple[str, str]
Log = tuple[Pair, ...]
FOUND = frozenset(("illegal", "discontinuity"))


@cache
def printable(machine: str, unprinted: frozenset[str], length: int) -> frozenset[Log]:
    """Logs of that many lines: of every legal history from any state, with any moves into `unprinted` left out."""
    longest = len(naive.VALID_PREVIOUS[machine])  # unprinted moves in a row that lead anywhere new
    return frozenset(
        log
        for state in naive.VALID_PREVIOUS[machine]
        for log in continued(machine, unprinted, state, length, longest)
    )


@cache
def continued(
    machine: str, unprinted: frozenset[str], state: str, length: int, left_out: int
) -> frozenset[Log]:
    """What can be printed from `state` on, with at most `left_out` moves left out before the next line."""
    if not length:
        return frozenset([()])
    logs: set[Log] = set()
    valid_previous = naive.VALID_PREVIOUS[machine]
    for target in (target for target in valid_previous if state in valid_previous[target]):
        rest = continued(machine, unprinted, target, length - 1, len(valid_previous))
        logs.update(((state, target), *log) for log in rest)
        if left_out and target in unprinted:
            logs |= continued(machine, unprinted, target, length, left_out - 1)
    return frozenset(logs)


def certain(machine: str, *, is_trace: bool) -> frozenset[str]:
    """Targets whose lines are not printed at this level."""
    return frozenset() if is_trace else frozenset(naive.TRACE_ONLY[machine])


def possible(machine: str, *, is_trace: bool) -> frozenset[str]:
    """The same, and those that some releases of the machine enter without a line."""
    return certain(machine, is_trace=is_trace) | naive.SOMETIMES_SILENT[machine]


def every_log(kind: str, length: int) -> list[Log]:
    """Every sequence of so many pairs of known states, legal or not."""
    names = naive.states(kind)
    return list(product([(one, other) for one in names for other in names], repeat=length))


def legal_pairs(machine: str, length: int) -> list[Log]:
    """Every sequence of so many legal pairs, joined or not."""
    valid_previous = naive.VALID_PREVIOUS[machine]
    pairs = [(one, target) for target in valid_previous for one in sorted(valid_previous[target])]
    return list(product(pairs, repeat=length))


def as_block(block: naive.Block, logs: list[Log], *, is_trace: bool) -> Generated:
    """One object per log, all moves done."""
    names = naive.states(block.kind)
    codes = {name: code for code, name in enumerate(names)}
    length = len(logs[0])
    states = np.array([[(codes[one], codes[other]) for one, other in log] for log in logs]).reshape(-1, 2)
    return Generated(
        block,
        (*names, "OddState", None),
        np.repeat(np.arange(len(logs)), length),
        states[:, 0],
        states[:, 1],
        np.full(len(states), DONE),
        np.full(len(states), is_trace),
    )
