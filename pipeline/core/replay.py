"""Replays the moves of one start-up block: does every move leave from the state that the last one entered?"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

CONTINUITY = ("first", "follows", "hidden", "broken", "unknown")
FIRST, FOLLOWS, HIDDEN, BROKEN, UNKNOWN = range(len(CONTINUITY))
NONE = -1  # no state known yet, no such row
UNREADABLE = -2  # a state that the machine does not know

Int = NDArray[np.int64]
Bool = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Moves:
    """The moves of one start-up block in log order; every array has one value per move.

    `object`: any integer that names the object. `from_state`, `to_state`: position of the state in its
    machine, UNREADABLE for a name the machine does not know. `is_done`: the state moved. `is_startup`:
    `from_state` is a state that an object may have without any move before.
    """

    object: Int
    from_state: Int
    to_state: Int
    is_done: Bool
    is_startup: Bool


@dataclass(frozen=True, eq=False)
class Replay:
    """The answer, one value per move in the order of the input.

    `continuity`: position in CONTINUITY. `previous_state`: the replayed state before the move, -1 if none.
    `previous_row`: row of the input that set it, -1 if none.
    """

    continuity: NDArray[np.int8]
    previous_state: Int
    previous_row: Int


def replay_moves(moves: Moves, explained: Bool, complete: Bool) -> Replay:
    """Follows every object through the block; linear but for one stable sort, no loop per move.

    `explained[last, from]`: moves that the log does not print lead from one to the other; n by n.
    `complete[last, from]`: all that could lead there would have been printed, so a gap is a gap; n by n.
    Only done moves set a state: one that was not done moves nothing, and it is no first sight of its object either,
    for what comes after. So of the moves before a chunk the last done one of each object stands for all of them.
    """
    order = stable_order(moves.object)
    objects, to_state = moves.object[order], moves.to_state[order]
    is_start = np.ones(len(order), dtype=np.bool_)
    is_start[1:] = objects[1:] != objects[:-1]
    setter = previous_setter(moves.is_done[order], is_start)
    state = np.where(setter == NONE, NONE, to_state[setter])
    continuity = judge_continuity(
        moves.from_state[order], state, moves.is_startup[order], explained, complete
    )
    return Replay(
        restore_order(continuity, order),
        restore_order(state, order),
        restore_order(np.where(setter == NONE, NONE, order[setter]), order),
    )


def stable_order(objects: Int) -> Int:
    """Rows by object, in log order within one; small codes take NumPy's radix sort (16-bit only)."""
    if len(objects) and objects.min() >= 0 and objects.max() <= np.iinfo(np.uint16).max:
        return np.argsort(objects.astype(np.uint16), kind="stable")
    return np.argsort(objects, kind="stable")


def last_setter(sets_state: Bool, is_start: Bool) -> Int:
    """Per sorted row, the last row of its object up to itself, included, that set the state; -1 if none."""
    rows = np.arange(len(sets_state))
    starts = np.maximum.accumulate(np.where(is_start, rows, 0)) if len(rows) else rows
    setters = np.maximum.accumulate(np.where(sets_state, rows, NONE)) if len(rows) else rows
    return np.where(setters >= starts, setters, NONE)


def previous_setter(sets_state: Bool, is_start: Bool) -> Int:
    """Per sorted row, the last row of its object before it that set the state, -1 if none."""
    before = np.roll(last_setter(sets_state, is_start), 1)
    before[is_start] = NONE
    return before


def judge_continuity(
    from_state: Int, state: Int, is_startup: Bool, explained: Bool, complete: Bool
) -> NDArray[np.int8]:
    """Continuity of each move, given the replayed state before it (-1: not seen before)."""
    pair = np.maximum(state, 0) * len(explained) + np.maximum(from_state, 0)
    answers = [
        (from_state < 0) | (state == UNREADABLE),
        state == NONE,
        state == from_state,
        explained.ravel()[pair],
        complete.ravel()[pair],
    ]
    first = np.where(is_startup, FIRST, UNKNOWN)
    return np.select(answers, [UNKNOWN, first, FOLLOWS, HIDDEN, BROKEN], UNKNOWN).astype(np.int8)


def restore_order(values: NDArray[T], order: Int) -> NDArray[T]:
    """The values of sorted rows, back in the order of the input."""
    back = np.empty_like(values)
    back[order] = values
    return back
