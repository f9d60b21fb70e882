"""Faults of simulated logs: all are found that the log decides, and nothing else is."""

from collections import defaultdict

import pytest

from tests.replay.scores import RELEASES, Score, scored, table
from tests.replay.simulator.days import simulated
from tests.replay.simulator.faults import FAULTS

ALWAYS_DECIDED = ("illegal move",)
SOMETIMES_DECIDED = (
    "lost line",
    "doubled line",
    "swapped lines",
    "cut line",
    "missing hour",
    "level for hours",
)


def check(scores: list[Score]) -> None:
    missed = [one for one in scores if one.found != one.decided]
    wrong = [one for one in scores if one.elsewhere]
    assert not missed
    assert not wrong
    for one in scores:
        if one.kind in ALWAYS_DECIDED:
            assert one.decided == one.hit > 0, one
        elif one.kind not in SOMETIMES_DECIDED:
            assert one.findings == 0, one


# Of each way to write and of both machines; of all releases in soak.
FEW = ("0.9.0.1", "1.0.2", "2.2.2", "3.9.1")


def test_faults_are_found_where_the_log_decides() -> None:
    scores = list(table(range(1), 1, FEW))
    check(scores)
    decided: dict[str, int] = defaultdict(int)
    for one in scores:
        decided[one.kind] += one.decided
    assert all(decided[kind] > 0 for kind in (*ALWAYS_DECIDED, *SOMETIMES_DECIDED))
    assert {one.kind for one in scores} == set(FAULTS)


@pytest.mark.soak
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kind", FAULTS)
def test_faults_of_many_days_are_found_where_the_log_decides(kind: str, release: str) -> None:
    check([scored(kind, release, simulated(release, seed, days=5), seed) for seed in range(10, 20)])
