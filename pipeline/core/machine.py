"""A state machine as a relation: which moves between which states are legal."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]

LEGAL, ILLEGAL, UNDETERMINED = 1, 0, -1
LARGEST_MASK_BITS = 63  # a signed 64-bit integer without its sign


def transitive_closure(moves: BoolMatrix) -> BoolMatrix:
    """Pairs (a, b) such that zero or more of `moves` lead from a to b; n by n in, n by n out."""
    reached: BoolMatrix = np.asarray(moves, dtype=np.bool_) | np.eye(len(moves), dtype=np.bool_)
    for _ in range(len(moves).bit_length()):  # squaring doubles the length of the paths seen
        reached = reached @ reached
    return reached


@dataclass(frozen=True, eq=False)
class Machine:
    """States, and the legal moves between them, of one range of releases.

    `matrix[i, j]`: the move from `states[i]` to `states[j]` is legal; n by n, read-only.
    `startup_states`: states that an object may have without any move before.
    `since`, `until`: releases, both included; `until` 2.2 means every 2.2.x.
    `source`: where the relation was read.
    """

    name: str
    states: tuple[str, ...]
    matrix: BoolMatrix
    startup_states: tuple[str, ...]
    since: str
    until: str
    source: str

    def __post_init__(self) -> None:
        self._check_states()
        self._check_matrix()
        matrix = self.matrix.copy()
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)
        self._check_reachable()

    def _check_states(self) -> None:
        twice = sorted({state for state in self.states if self.states.count(state) > 1})
        if not self.states or twice:
            raise ValueError(f"{self.name}: expected states named once each, found {twice or 'none'} twice")
        unknown = [state for state in self.startup_states if state not in self.states]
        if unknown:
            raise ValueError(f"{self.name}: expected start-up states out of {self.states}, found {unknown}")

    def _check_matrix(self) -> None:
        expected = (len(self.states), len(self.states))
        if self.matrix.shape != expected:
            raise ValueError(f"{self.name}: expected a matrix of {expected}, found {self.matrix.shape}")
        if self.matrix.dtype != np.bool_:
            raise ValueError(f"{self.name}: expected a matrix of bool, found {self.matrix.dtype}")

    def _check_reachable(self) -> None:
        at_startup = np.isin(self.states, self.startup_states)
        is_reached = np.atleast_1d(transitive_closure(self.matrix)[at_startup].any(axis=0))
        lost = [state for state, is_found in zip(self.states, is_reached, strict=True) if not is_found]
        if lost:
            raise ValueError(
                f"{self.name}: expected every state to be a start-up state or reached from one, found {lost}"
            )

    @cached_property
    def mask(self) -> int:
        """The matrix as bits of a signed 64-bit integer: bit `from * n + to` set means a legal move."""
        if self.matrix.size > LARGEST_MASK_BITS:
            raise ValueError(
                f"{self.name}: expected {LARGEST_MASK_BITS} pairs or less, found {self.matrix.size}"
            )
        return sum(1 << int(bit) for bit in np.flatnonzero(self.matrix))

    @cached_property
    def is_startup(self) -> BoolMatrix:
        """Per state, in the order of `states`: is it a start-up state; n."""
        return np.isin(self.states, self.startup_states)

    def allows(self, from_state: str, to_state: str) -> bool:
        """Whether the move is legal; an unknown state is a `ValueError`."""
        return bool(self.matrix[self.states.index(from_state), self.states.index(to_state)])

    def reach(self, hidden: BoolMatrix) -> BoolMatrix:
        """Pairs (a, b) such that zero or more legal moves, all of them hidden, lead from a to b; n by n."""
        if hidden.shape != self.matrix.shape:
            raise ValueError(f"{self.name}: expected a matrix of {self.matrix.shape}, found {hidden.shape}")
        return transitive_closure(self.matrix & hidden)


def matrix_of(states: tuple[str, ...], pairs: Sequence[tuple[str, str]]) -> BoolMatrix:
    """The matrix of a relation given as (from, to) pairs of `states`, each once; n by n."""
    matrix = np.zeros((len(states), len(states)), dtype=np.bool_)
    for from_state, to_state in pairs:
        unknown = [state for state in (from_state, to_state) if state not in states]
        if unknown:
            raise ValueError(f"expected states out of {states}, found {unknown}")
        cell = states.index(from_state), states.index(to_state)
        if matrix[cell]:
            raise ValueError(f"expected every pair once, found {from_state} to {to_state} twice")
        matrix[cell] = True
    return matrix


def legality_matrix(candidates: Sequence[Machine]) -> NDArray[np.int8]:
    """What is known of each pair when any of `candidates`, of the same states, may be the machine; n by n.

    LEGAL in all of them, ILLEGAL in all of them, else UNDETERMINED.
    """
    if len({machine.states for machine in candidates}) != 1:
        raise ValueError(f"expected machines of the same states, found {[m.states for m in candidates]}")
    matrices = np.stack([machine.matrix for machine in candidates])
    known = np.where(matrices.all(axis=0), LEGAL, np.where(matrices.any(axis=0), UNDETERMINED, ILLEGAL))
    return known.astype(np.int8)
