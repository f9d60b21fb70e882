"""To which broker an election is put down where one batch fences several."""

from dataclasses import replace

import pytest

from pipeline.model.metadata.causes import FENCING, OTHER, BatchCauses
from pipeline.model.metadata.history import replay_log
from pipeline.model.metadata.joining import join_copies
from tests.metadata import copies_of, samples


@pytest.mark.parametrize(
    ("fenced", "cause", "broker"),
    [([2], FENCING, 2), ([2, 3], FENCING, 3), ([3, 2], FENCING, 3), ([2, 4], OTHER, None)],
)
def test_of_several_it_is_the_one_that_led(fenced: list[int], cause: str, broker: int | None) -> None:
    some = replay_log(join_copies(copies_of(samples() / "diverged"))).states[0]
    old = replace(some, leader=3, isr=[3, 1], replicas=[9, 3, 1])
    new = replace(old, leader=1, isr=[1])
    assert BatchCauses({FENCING: fenced}).of_election(old, new, {"isr": [1]}) == (cause, broker)
