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
class Summary:
    """What the next chunk has to know of this one; one value per object, ascending by `object`.

    `first_from`: state that its first done move leaves. `last_to`: state held at the end. Both -1 where no move
    was done: a state from before the chunk outlives it.
    """

    object: Int
    first_from: Int
    last_to: Int


@dataclass(frozen=True, eq=False)
class Replay:
    """The answer, one value per move in the order of the input, and the summary per object.

    `continuity`: position in CONTINUITY. `previous_state`: the replayed state before the move, -1 if none.
    `previous_row`: row of the input that set it, -1 if none or of an earlier chunk.
    """

    continuity: NDArray[np.int8]
    previous_state: Int
    previous_row: Int
    summary: Summary


def replay(moves: Moves, explained: Bool, complete: Bool, prior: Summary | None = None) -> Replay:
    """Follows every object through the block; linear but for one stable sort, no loop per move.

    `explained[last, from]`: moves that the log does not print lead from one to the other; n by n.
    `complete[last, from]`: all that could lead there would have been printed, so a gap is a gap; n by n.
    `prior`: the states carried over from the chunk before. Only done moves set a state: one that was not done
    moves nothing, and it is no first sight of its object either, for what comes after.
    """
    order = stable_order(moves.object)
    objects, is_done = moves.object[order], moves.is_done[order]
    from_state, to_state = moves.from_state[order], moves.to_state[order]
    is_start = np.ones(len(order), dtype=np.bool_)
    is_start[1:] = objects[1:] != objects[:-1]
    carried = states_of(prior, objects[is_start])[np.cumsum(is_start) - 1]

    setter = previous_setter(is_done, is_start)
    state = np.where(setter == NONE, carried, to_state[setter])

    continuity = judged(from_state, state, moves.is_startup[order], explained, complete)
    return Replay(
        unsorted(continuity, order),
        unsorted(state, order),
        unsorted(np.where(setter == NONE, NONE, order[setter]), order),
        summary_of(objects, from_state, to_state, is_done, carried),
    )


def summary_of(objects: Int, from_state: Int, to_state: Int, is_done: Bool, carried: Int) -> Summary:
    """The summary of rows sorted by object; `carried`: per row, the state of its object before the chunk."""
    named, first_row = np.unique(objects, return_index=True)
    done = np.flatnonzero(is_done)
    moved, first_done = np.unique(objects[done], return_index=True)
    last_done = np.append(first_done[1:], len(done))[: len(moved)] - 1
    first_from = np.full(len(named), NONE, dtype=np.int64)
    last_to = carried[first_row]
    at = np.searchsorted(named, moved)
    first_from[at], last_to[at] = from_state[done[first_done]], to_state[done[last_done]]
    return Summary(named, first_from, last_to)


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


def states_of(prior: Summary | None, objects: Int) -> Int:
    """The state of each object at the end of the chunk before, -1 where it had not been seen."""
    if prior is None:
        return np.full(len(objects), NONE, dtype=np.int64)
    return pick(prior.last_to, place(prior, objects))


def judged(
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


def unsorted(values: NDArray[T], order: Int) -> NDArray[T]:
    """The values of sorted rows, back in the order of the input."""
    back = np.empty_like(values)
    back[order] = values
    return back


def stitched(before: Summary, after: Summary) -> Summary:
    """The summary of two chunks of one block, `after` made with `before` as its prior or without."""
    objects = np.union1d(before.object, after.object)
    old, new = place(before, objects), place(after, objects)
    return Summary(
        objects,
        known(pick(before.first_from, old), pick(after.first_from, new)),
        known(pick(after.last_to, new), pick(before.last_to, old)),
    )


def known(wanted: Int, otherwise: Int) -> Int:
    """The first of two states that is known."""
    return np.where(wanted == NONE, otherwise, wanted)


def place(summary: Summary, objects: Int) -> Int:
    """Where each object stands in the summary, -1 where it does not."""
    if not len(summary.object):
        return np.full(len(objects), NONE, dtype=np.int64)
    at = np.minimum(np.searchsorted(summary.object, objects), len(summary.object) - 1)
    return np.where(summary.object[at] == objects, at, NONE)


def pick(values: Int, at: Int) -> Int:
    """The values at those positions, -1 where that is -1."""
    picked = np.full(len(at), NONE, dtype=values.dtype)
    picked[at != NONE] = values[at[at != NONE]]
    return picked
