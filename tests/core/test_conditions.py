"""A condition asks for the same rows in frames, in datasets of Arrow and, in the store's tests, in Spark."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from pipeline.core.conditions import Condition, before, differs, equals, is_in, reaching, since
from pipeline.core.frames import frame_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ROWS = pa.table(
    {
        "at": pa.array(
            [NOON, NOON + timedelta(seconds=1), None, NOON - timedelta(days=1)], pa.timestamp("us", "UTC")
        ),
        "name": pa.array(["a", "b", None, "a"]),
        "load_seq": pa.array([1, 2, 3, 4], pa.int64()),
    }
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (since("at", NOON), [1, 2]),
        (before("at", NOON), [4]),
        (reaching("at", NOON), [1, 2, 3]),
        (equals("name", "a"), [1, 4]),
        (differs("name", "a"), [2]),
        (~equals("name", "a"), [2]),
        (is_in("name", ["a", "c"]), [1, 4]),
        (is_in("name", []), []),
        (~is_in("load_seq", [1, 2]), [3, 4]),
        (before("at", NOON) | is_in("load_seq", [2]), [2, 4]),
        (reaching("at", NOON) & ~equals("name", "b"), [1]),
    ],
)
def test_rows_that_are_asked_for(condition: Condition, expected: list[int]) -> None:
    in_frames = frame_of(ROWS).filter(condition.polars())
    in_dataset = ds.dataset(ROWS).to_table(filter=condition.arrow())
    assert in_frames["load_seq"].to_list() == expected
    assert pl.Series(in_dataset["load_seq"]).to_list() == expected
