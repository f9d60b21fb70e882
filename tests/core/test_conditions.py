"""A condition asks for the same rows in frames, in files of Parquet and, in the store's tests, in Spark."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from pipeline.core.conditions import (
    Condition,
    column_before,
    column_differs,
    column_equals,
    column_reaching,
    column_since,
    is_in,
)
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
        (column_since("at", NOON), [1, 2]),
        (column_before("at", NOON), [4]),
        (column_reaching("at", NOON), [1, 2, 3]),
        (column_equals("name", "a"), [1, 4]),
        (column_differs("name", "a"), [2]),
        (~column_equals("name", "a"), [2]),
        (is_in("name", ["a", "c"]), [1, 4]),
        (is_in("name", []), []),
        (~is_in("load_seq", [1, 2]), [3, 4]),
        (column_before("at", NOON) | is_in("load_seq", [2]), [2, 4]),
        (column_reaching("at", NOON) & ~column_equals("name", "b"), [1]),
    ],
)
def test_rows_that_are_asked_for(condition: Condition, expected: list[int], tmp_path: Path) -> None:
    rows = frame_of(ROWS)
    assert rows.filter(condition.polars())["load_seq"].to_list() == expected
    rows.write_parquet(tmp_path / "rows.parquet", row_group_size=1)
    in_files = pl.scan_parquet(tmp_path / "rows.parquet").filter(condition.polars())
    assert in_files.select("load_seq").collect()["load_seq"].to_list() == expected
