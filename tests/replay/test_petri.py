"""PM4Py plays traces through each machine and calls the same ones legal."""

from collections import Counter

import pytest

from pipeline.kafka.machines.by_release import machines_by_name

pytest.importorskip("pm4py", reason="PM4Py comes with the extra `oracle` only", exc_type=ImportError)

from tests.replay.petri import fits, replayed, walks

SHARES = {"R1": 0.4, "R2": 0.4, "P1": 0.2}


def compare(seed: int, count: int) -> Counter[bool]:
    """How many traces are legal and how many not; equal traces are played once."""
    told: Counter[bool] = Counter()
    for name, share in SHARES.items():
        machine = machines_by_name()[name]
        traces = Counter(walks(machine, seed, round(count * share)))
        own, theirs = replayed(machine, list(traces)), fits(machine, list(traces))
        differing = [trace for trace, a, b in zip(traces, own, theirs, strict=True) if a != b]
        assert not differing, (name, differing[:10])
        for is_legal, times in zip(own, traces.values(), strict=True):
            told[is_legal] += times
    return told


def test_token_replay_calls_the_same_traces_legal() -> None:
    told = compare(1, 100_000)
    assert told.total() == 100_000
    assert min(told[True], told[False]) > 25_000
