"""The vectorised replay says what a naive judge says, on moves by the hundred thousand, whole or cut anywhere."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from pipeline.core.replay import NONE, UNREADABLE, Moves, Replay, Summary, replay, stitched
from pipeline.gold.transition_audit.block import replay_block
from pipeline.kafka.machines import candidates, visibility
from schemas.gold.transition_audit import CONTINUITIES, VERDICTS
from tests.replay.generated import (
    DONE,
    IN_TURN,
    Generated,
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


def moves_of(generated: Generated, at: slice) -> Moves:
    known = len(generated.names) - 2
    is_startup = candidates(generated.block.kind, generated.block.machine)[0].is_startup
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


def in_chunks(
    generated: Generated, cuts: list[int], *, is_stitched: bool, is_trace_seen: bool = True
) -> list[Replay]:
    """Each chunk with what is carried over: the summary of the chunk before, or all summaries stitched so far."""
    block = generated.block
    seen = visibility(block.kind, block.machine, is_trace_seen=is_trace_seen)
    nothing = np.empty(0, dtype=np.int64)
    carried = Summary(nothing, nothing, nothing)
    replays = []
    for start, end in pairwise(cuts):
        chunk = moves_of(generated, slice(start, end))
        replays.append(replay(chunk, seen.explained, seen.complete, carried))
        alone = replay(chunk, seen.explained, seen.complete)
        carried = stitched(carried, alone.summary if is_stitched else replays[-1].summary)
    return replays


@pytest.mark.parametrize("is_stitched", [False, True], ids=["one after the other", "each by itself"])
def test_cut_anywhere_gives_the_same_rows(*, is_stitched: bool) -> None:
    rng = np.random.default_rng(4)
    for block, level in IN_TURN:
        generated = generate(rng, block, level, 5_000)
        whole = in_chunks(generated, [0, len(generated)], is_stitched=False)[0]
        for pieces in (2, 30, 400):
            cuts = [0, *sorted(rng.integers(0, len(generated) + 1, size=pieces - 1)), len(generated)]
            chunks = in_chunks(generated, cuts, is_stitched=is_stitched)
            assert np.array_equal(np.concatenate([one.continuity for one in chunks]), whole.continuity)
            assert np.array_equal(
                np.concatenate([one.previous_state for one in chunks]), whole.previous_state
            )
            previous = [
                np.where(one.previous_row == NONE, NONE, one.previous_row + start)
                for one, start in zip(chunks, cuts, strict=False)
            ]
            own = np.concatenate([one.previous_row for one in chunks]) != NONE
            assert np.array_equal(np.concatenate(previous)[own], whole.previous_row[own])


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
    return replay_block(rows if at is None else rows.take(pa.array(at)))
