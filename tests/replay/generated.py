"""Moves by the million: walks through a machine with everything that can befall a log, from a seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.frames import declared_table, frame_of
from pipeline.gold.transition_audit.judging import WANTED, judged_moves
from schemas.gold.transition_audit import SPEC
from tests.replay import naive

STEPS = 25  # moves of one object
LEVELS = ("TRACE", "INFO", "changed")
# Without a term nothing says which release it was.
BLOCKS = (
    *(naive.Block("replica", machine) for machine in ("R1", "R2", None)),
    naive.Block("partition", "P1"),
    naive.Block("replica", None, has_term=False),
    naive.Block("partition", "P1", has_term=False),
)
IN_TURN = tuple(product(BLOCKS, LEVELS))
REFUSED = "Replica [Topic=t,Partition=0,Replica=1] should be in the A states before moving to B state"
FAILED = (
    "Failed to elect leader for partition t-0 under strategy OfflinePartitionLeaderElectionStrategy(false)"
)
# What stands below the line of a move that was not done, and how often.
EXCEPTIONS: tuple[tuple[str | None, str | None, float], ...] = (
    ("java.lang.IllegalStateException", REFUSED, 0.3),
    ("java.lang.AssertionError", f"assertion failed: {REFUSED}", 0.1),
    ("kafka.common.StateChangeFailedException", FAILED, 0.2),
    ("java.lang.IllegalStateException", "KafkaScheduler has not been started", 0.05),
    ("kafka.common.StateChangeFailedException", REFUSED, 0.05),
    ("kafka.common.NoReplicaOnlineException", None, 0.05),
    ("java.lang.IllegalStateException", None, 0.1),
    (None, FAILED, 0.05),
    (None, None, 0.1),
)
DONE = len(EXCEPTIONS)
TYPES = {one.name: one.type for one in SPEC.arrow} | {
    "replica_machine": pa.string(),
    "is_earlier": pa.bool_(),
}
Codes = NDArray[np.int64]
Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class Generated:
    """The moves of one block in log order; states are places in `names`, `how` one in EXCEPTIONS or DONE.

    `is_trace`: the line is at TRACE, else at INFO or ERROR.
    """

    block: naive.Block
    names: tuple[str | None, ...]
    thing: Codes
    from_state: Codes
    to_state: Codes
    how: Codes
    is_trace: Bool

    def __len__(self) -> int:
        return len(self.thing)


def blocks(seed: int, count: int) -> Iterator[Generated]:
    """At least `count` moves, block after block: every kind, level and term in turn."""
    rng = np.random.default_rng(seed)
    size = 5_000
    for number in range(-(-count // size)):
        yield generate(rng, *IN_TURN[number % len(IN_TURN)], size)


def generate(rng: np.random.Generator, block: naive.Block, level: str, count: int) -> Generated:
    """Objects that mostly walk along legal moves; some lines are lost, wrong, not done or unreadable."""
    names = (*naive.states(block.kind), "OddState", None)
    known, things = len(names) - 2, -(-count // STEPS)
    legal = [legal_targets(block, name) for name in names[:known]]
    choices = np.array([[rng.choice(targets) for _ in range(64)] for targets in legal])
    held = rng.integers(known, size=things)
    from_state, to_state = np.empty((2, things, STEPS), dtype=np.int64)
    from_state, to_state = from_state.astype(np.int64), to_state.astype(np.int64)
    how = np.where(rng.random((things, STEPS)) < 0.85, DONE, exceptions(rng, (things, STEPS)))
    for step in range(STEPS):
        held = np.where(rng.random(things) < 0.15, rng.integers(known, size=things), held)
        wanted = choices[held, rng.integers(choices.shape[1], size=things)]
        wanted = np.where(rng.random(things) < 0.15, rng.integers(known, size=things), wanted)
        from_state[:, step], to_state[:, step] = held, wanted
        held = np.where(how[:, step] == DONE, wanted, held)
    for states in (from_state, to_state):
        states[rng.random(states.shape) < 0.01] = known + rng.integers(2)
    order = np.argsort(np.sort(rng.random((things, STEPS)), axis=1), axis=None)[:count]
    thing, how = np.repeat(np.arange(things), STEPS)[order], how.ravel()[order]
    return Generated(
        block,
        names,
        thing,
        from_state.ravel()[order],
        to_state.ravel()[order],
        how,
        at_trace(rng, level, how),
    )


def at_trace(rng: np.random.Generator, level: str, how: Codes) -> Bool:
    """TRACE throughout, INFO throughout, or TRACE for some while, in which most lines are at TRACE."""
    place, (since, until) = np.arange(len(how)), sorted(rng.integers(len(how), size=2))
    is_trace: Bool = {
        "TRACE": np.ones(len(how), dtype=np.bool_),
        "INFO": np.zeros(len(how), dtype=np.bool_),
        "changed": (place >= since) & (place <= until) & (rng.random(len(how)) < 0.8),
    }[level] & (how == DONE)
    return is_trace


def legal_targets(block: naive.Block, state: str | None) -> list[int]:
    valid_previous = naive.VALID_PREVIOUS[block.machines[-1]]
    return [place for place, target in enumerate(valid_previous) if state in valid_previous[target]]


def exceptions(rng: np.random.Generator, shape: tuple[int, int]) -> Codes:
    return rng.choice(DONE, size=shape, p=[share for *_, share in EXCEPTIONS]).astype(np.int64)


def moves(generated: Generated) -> list[naive.Move]:
    names = generated.names
    exception = [*((name, message) for name, message, _ in EXCEPTIONS), (None, None)]
    columns = (generated.thing, generated.from_state, generated.to_state, generated.how, generated.is_trace)
    return [
        naive.Move(
            thing, names[one], names[other], how == DONE, "TRACE" if is_trace else "INFO", exception[how]
        )
        for thing, one, other, how, is_trace in zip(*(each.tolist() for each in columns), strict=True)
    ]


def table(generated: Generated) -> pa.Table:
    """The block as the product gets it; `byte_offset` and `seq` are places in log order."""
    block, count = generated.block, len(generated)
    names = pa.array(generated.names)
    places = pa.array(np.arange(count))
    columns = {
        "cluster_id": pa.repeat(pa.scalar("c"), count),
        "file_id": pa.repeat(pa.scalar("f"), count),
        "load_seq": pa.repeat(pa.scalar(1), count),
        "ordered_at": pa.repeat(pa.scalar(0), count),
        "is_earlier": pa.repeat(pa.scalar(False), count),
        "byte_offset": places,
        "machine": pa.repeat(pa.scalar(block.kind), count),
        "topic": pa.array(["t", "u"]).take(pa.array(generated.thing % 2)),
        "partition": pa.array(generated.thing // 6).cast(pa.int32()),
        "replica_id": pa.array(generated.thing // 2 % 3).cast(pa.int32()),
        "from_state": names.take(pa.array(generated.from_state)),
        "to_state": names.take(pa.array(generated.to_state)),
        "level": pa.array(["INFO", "TRACE"]).take(pa.array(generated.is_trace.astype(int))),
        "outcome": pa.array(["failed", "done"]).take(pa.array((generated.how == DONE).astype(int))),
        "exception_class": pa.array([*(one[0] for one in EXCEPTIONS), None]).take(pa.array(generated.how)),
        "exception_message": pa.array([*(one[1] for one in EXCEPTIONS), None]).take(pa.array(generated.how)),
    }
    if block.has_term:
        columns |= {
            "term_id": pa.repeat(pa.scalar("1-1"), count),
            "seq": places,
            "replica_machine": pa.repeat(pa.scalar(block.machine), count),
        }
    nothing = {name: pa.nulls(count, TYPES[name]) for name in WANTED}
    return pa.table(
        {name: (nothing | columns)[name].cast(kind) for name, kind in TYPES.items() if name in nothing}
    )


def audited(rows: pa.Table) -> pa.Table:
    """The audited rows as they pass the border of kernels, in log order."""
    return declared_table(judged_moves(frame_of(rows)).sort("byte_offset"), SPEC)


def expected(generated: Generated) -> dict[str, pa.Array]:
    """The naive judgements by column."""
    columns = zip(*naive.judged(generated.block, moves(generated)), strict=True)
    return dict(zip(naive.Judgement._fields, (pa.array(column) for column in columns), strict=True))


def found(judged: pa.Table) -> dict[str, pa.Array]:
    """The same columns of audited rows in log order; `previous` is the place of the second record of evidence."""
    names = [name for name in naive.Judgement._fields if name != "previous"]
    evidence = judged["evidence"].combine_chunks()
    offsets = evidence.offsets.to_numpy()
    rests = np.diff(offsets) == 2
    places = evidence.values.field("byte_offset").to_numpy()
    previous = places[np.where(rests, offsets[:-1] + 1, offsets[:-1])]
    return {name: judged[name].combine_chunks() for name in names} | {
        "previous": pa.array(previous, mask=~rests)
    }


def disagreements(
    generated: Generated, known: dict[str, pa.Array] | None = None, *, is_shuffled: bool = False
) -> list[str]:
    """Columns in which product and naive judge differ, with the first place; none if they agree.

    `known`: what the naive judge says, if that has been asked before.
    """
    rows = table(generated)
    if is_shuffled:
        rows = rows.take(pa.array(np.random.default_rng(0).permutation(len(rows))))
    told, known = found(audited(rows)), known or expected(generated)
    differing = []
    for name in told:
        pairs = zip(told[name].to_pylist(), known[name].to_pylist(), strict=True)
        places = [place for place, (one, other) in enumerate(pairs) if one != other]
        if places:
            differing.append(f"{generated.block} {name}: {len(places)} moves, the first at {places[0]}")
    return differing
