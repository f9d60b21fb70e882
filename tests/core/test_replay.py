"""The vectorised replay against a plain interpreter, and cut anywhere."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.replay import (
    BROKEN,
    FIRST,
    FOLLOWS,
    HIDDEN,
    NONE,
    UNKNOWN,
    UNREADABLE,
    Bool,
    Moves,
    Replay,
    replay_moves,
)

N = 4
Move = tuple[int, int, int, bool, bool]  # object, from, to, done, start-up
State = st.sampled_from([UNREADABLE, *range(N)])
MOVES = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, 70_000, -3]), State, State, st.booleans(), st.booleans())
)
MATRIX = st.lists(st.booleans(), min_size=N * N, max_size=N * N).map(
    lambda bits: np.array(bits).reshape(N, N)
)


def moves_of(rows: list[Move]) -> Moves:
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    is_done, is_startup = table[:, 3].astype(bool), table[:, 4].astype(bool)
    return Moves(table[:, 0], table[:, 1], table[:, 2], is_done, is_startup)


def plain(rows: list[Move], explained: Bool, complete: Bool) -> list[tuple[int, int, int]]:
    """(continuity, previous state, previous row) per move, by one dictionary."""
    held: dict[int, tuple[int, int]] = {}
    answers = []
    for row, move in enumerate(rows):
        thing, _, to_state, is_done, _ = move
        state, setter = held.get(thing, (NONE, NONE))
        answers.append((judge(state, move, explained, complete), state, setter))
        if is_done:
            held[thing] = to_state, row
    return answers


def judge(state: int, move: Move, explained: Bool, complete: Bool) -> int:
    _, from_state, _, _, is_startup = move
    if UNREADABLE in (state, from_state):
        return UNKNOWN
    if state == NONE:
        return FIRST if is_startup else UNKNOWN
    if state == from_state:
        return FOLLOWS
    if explained[state, from_state]:
        return HIDDEN
    return BROKEN if complete[state, from_state] else UNKNOWN


def answers_of(replayed: Replay) -> list[tuple[int, int, int]]:
    columns = (replayed.continuity, replayed.previous_state, replayed.previous_row)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(MOVES, MATRIX, MATRIX)
@settings(max_examples=400, deadline=None)
def test_replay_is_the_plain_interpreter(rows: list[Move], explained: Bool, complete: Bool) -> None:
    assert answers_of(replay_moves(moves_of(rows), explained, complete)) == plain(rows, explained, complete)


@given(MOVES, MATRIX, MATRIX, st.sets(st.sampled_from([0, 1, 2, 70_000, -3])))
def test_cut_by_objects_changes_nothing(
    rows: list[Move], explained: Bool, complete: Bool, chosen: set[int]
) -> None:
    whole = answers_of(replay_moves(moves_of(rows), explained, complete))
    for part in (chosen, {0, 1, 2, 70_000, -3} - chosen):
        at = [row for row, move in enumerate(rows) if move[0] in part]
        cut = answers_of(replay_moves(moves_of([rows[row] for row in at]), explained, complete))
        back = [(c, state, at[setter] if setter != NONE else NONE) for c, state, setter in cut]
        assert back == [whole[row] for row in at]


@given(MOVES, MOVES, MATRIX, MATRIX)
def test_cut_in_time_needs_the_last_move_of_each_object(
    before: list[Move], after: list[Move], explained: Bool, complete: Bool
) -> None:
    whole = answers_of(replay_moves(moves_of(before + after), explained, complete))
    last = sorted({move[0]: row for row, move in enumerate(before) if move[3]}.values())
    again = answers_of(replay_moves(moves_of([*(before[row] for row in last), *after]), explained, complete))
    place = [*last, *range(len(before), len(whole))]
    told = [(answer, state, place[row] if row != NONE else NONE) for answer, state, row in again[len(last) :]]
    assert told == whole[len(before) :]


def test_move_not_done_sets_nothing_and_is_no_first_sight() -> None:
    nothing = np.zeros((N, N), dtype=bool)
    rows = [(7, 0, 1, False, True), (7, 0, 2, True, True), (7, 3, 1, False, False), (7, 2, 3, True, False)]
    replayed = replay_moves(moves_of(rows), nothing, ~nothing)
    assert answers_of(replayed) == [(FIRST, NONE, NONE), (FIRST, NONE, NONE), (BROKEN, 2, 1), (FOLLOWS, 2, 1)]


def test_generator_would_catch_a_state_that_moves_when_not_done() -> None:
    rows = [(1, 0, 1, True, True), (1, 1, 2, False, False), (1, 1, 3, True, False)]
    nothing = np.zeros((N, N), dtype=bool)
    moves = moves_of(rows)
    wrong = replay_moves(replace(moves, is_done=np.ones(3, dtype=bool)), nothing, ~nothing)
    assert answers_of(wrong) != plain(rows, nothing, ~nothing)
