"""Whether new lines tell of the day before theirs."""

import polars as pl
import pytest

from jobs.engine.incremental.dirty_days import first_affected_time
from schemas.bronze import source_file
from tests.frames import at, frame


@pytest.mark.parametrize(
    ("last", "status", "since"),
    [
        pytest.param(139, "old", 200, id="it ended more than a minute before"),
        pytest.param(140, "old", 140, id="it ended a minute before"),
        pytest.param(300, "old", 140, id="it goes on behind"),
        pytest.param(150, "new", 200, id="it is new"),
        pytest.param(None, "old", 200, id="nobody knows when it was written"),
    ],
)
def test_days_that_no_stored_line_ends_close_to_are_left_alone(
    last: int | None, status: str, since: int
) -> None:
    """A line tells of a state for a minute after another followed it, and of none that nobody printed by then."""
    text = f"""
        cluster_id | log        | first_logged_at | last_logged_at
        c          | controller | 100             | {"" if last is None else last}
        c          | controller | 250             | 260
    """
    rows = frame(source_file.SPEC, text).with_columns(status=pl.Series([status, "old"]))
    assert first_affected_time(rows, at(200)) == at(since)
