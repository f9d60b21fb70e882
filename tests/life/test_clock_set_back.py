"""Nights whose clock was set back, or far ahead and then right again: the tables are those of a clock that goes right,
and what is published stays readable."""

from pathlib import Path

import pytest

from tests.jobs.small_logs import COMPARED, contents
from tests.life.clocks import clock_moved_by
from tests.life.plain_nights import deliver, plain_night, seen_run

# Days by which the clock of each night is off.
CLOCKS = ((0, -400, 0), (400, 0, 0), (-4000, 400, -400))


@pytest.mark.soak
@pytest.mark.parametrize("days", CLOCKS, ids=str)
def test_nights_of_a_clock_that_goes_wrong(tmp_path: Path, days: tuple[int, ...]) -> None:
    """Nothing of the logs is from a time that a night takes to be still to come."""
    logs, twin, warehouse = (tmp_path / name for name in ("logs", "twin", "warehouse"))
    for night, off in enumerate(days, 1):
        deliver(logs, night)
        for where, clock in ((twin, None), (warehouse, clock_moved_by(off))):
            ended = plain_night(logs, where, settings=clock)
            assert ended.code == 0, ended.said
            assert seen_run(where) == night
        assert contents(warehouse, COMPARED) == contents(twin, COMPARED)
