"""The vectorised replay says what a naive judge says, on moves by the hundred thousand, whole or cut anywhere."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from pipeline.core.replay import NONE, UNREADABLE, Int, Moves, Replay, replay_moves
from pipeline.kafka.machines.by_release import candidate_machines, move_visibility
from schemas.gold.transition_audit import CONTINUITIES, VERDICTS
from tests.replay.generated import (
    DONE,
    IN_TURN,
    Generated,
    audited,
    blocks,
    disagreements,
    expected,
    found,
    generate,
    table,
)

MOVES = 200_000
SOAK_MOVES = 10_000_000


def test_verdicts_are_those_of_the_naive_judge() -> None:
    differing = [each for generated in blocks(1, MOVES) for each in disagreements(generated)]
    assert not differing, differing[:20]


@pytest.mark.soak
def test_verdicts_of_ten_million_moves_are_those_of_the_naive_judge() -> None:
    differing = [each for generated in blocks(2, SOAK_MOVES) for each in disagreements(generated)]
    assert not differing, differing[:20]


def test_order_of_rows_says_nothing() -> None:
    """As files come to a block: in any order."""
    differing = [
        each for one in blocks(3, 5_000 * len(IN_TURN)) for each in disagreements(one, is_shuffled=True)
    ]
    assert not differing, differing[:20]


def test_generated_moves_hold_every_judgement_often() -> None:
    told: dict[str, Counter[object]] = {
        name: Counter() for name in ("verdict", "continuity", "is_legal_pair")
    }
    for generated in blocks(1, MOVES):
        judgements = expected(generated)
        for name, counter in told.items():
            counter.update(judgements[name].to_pylist())
    assert set(told["verdict"]) == set(VERDICTS)
    assert set(told["continuity"]) == set(CONTINUITIES)
    assert set(told["is_legal_pair"]) == {True, False, None}
    assert min(count for counter in told.values() for count in counter.values()) > MOVES // 200


def moves_of(generated: Generated, at: Int) -> Moves:
    known = len(generated.names) - 2
    is_startup = candidate_machines(generated.block.kind, generated.block.machine)[0].is_startup
    from_state, to_state = (
        np.where(states[at] < known, states[at], UNREADABLE)
        for states in (generated.from_state, generated.to_state)
    )
    return Moves(
        generated.thing[at],
        from_state,
        to_state,
        generated.how[at] == DONE,
        (from_state >= 0) & is_startup[from_state],
    )


def last_moves(generated: Generated, at: Int) -> Int:
    """Of these rows the last done move of each object, in order."""
    done = at[generated.how[at] == DONE][::-1]
    _, last = np.unique(generated.thing[done], return_index=True)
    return np.sort(done[last])


def in_chunks(generated: Generated, cuts: list[int], *, is_by_itself: bool) -> list[Replay]:
    """Each chunk after the last moves before it: of what the chunk before had, or of the last moves of every chunk.

    previous_row: row of all that was generated.
    """
    block = generated.block
    seen = move_visibility(block.kind, block.machine, is_trace_seen=True)
    before = np.empty(0, dtype=np.int64)
    replays = []
    for start, end in pairwise(cuts):
        own = np.arange(start, end)
        at = np.concatenate([before, own])
        found = replay_moves(moves_of(generated, at), seen.explained, seen.complete)
        row = found.previous_row[len(before) :]
        replays.append(
            Replay(
                found.continuity[len(before) :],
                found.previous_state[len(before) :],
                np.where(row == NONE, NONE, at[row]),
            )
        )
        chunk = last_moves(generated, own) if is_by_itself else own
        before = last_moves(generated, np.concatenate([before, chunk]))
    return replays


@pytest.mark.parametrize("is_by_itself", [False, True], ids=["one after the other", "each by itself"])
def test_cut_anywhere_gives_the_same_rows(*, is_by_itself: bool) -> None:
    rng = np.random.default_rng(4)
    for block, level in IN_TURN:
        generated = generate(rng, block, level, 5_000)
        whole = in_chunks(generated, [0, len(generated)], is_by_itself=False)[0]
        for pieces in (2, 30, 400):
            cuts = [0, *sorted(rng.integers(0, len(generated) + 1, size=pieces - 1)), len(generated)]
            chunks = in_chunks(generated, cuts, is_by_itself=is_by_itself)
            for name in ("continuity", "previous_state", "previous_row"):
                found = np.concatenate([getattr(one, name) for one in chunks])
                assert np.array_equal(found, getattr(whole, name))


def test_cut_by_partitions_gives_the_same_rows() -> None:
    """Only where the level changes the lines of other partitions matter: they tell it."""
    rng = np.random.default_rng(5)
    for block, level in IN_TURN:
        if level == "changed":
            continue
        generated = generate(rng, block, level, 5_000)
        whole = found(_audited(generated))
        for chosen in (generated.thing % 3 == 0, generated.thing % 3 != 0):
            at = np.flatnonzero(chosen)
            part = found(_audited(generated, at))
            for name in whole:
                assert part[name].equals(whole[name].take(at))


def _audited(generated: Generated, at: np.typing.NDArray[np.intp] | None = None) -> pa.Table:
    rows = table(generated)
    return audited(rows if at is None else rows.take(pa.array(at)))
