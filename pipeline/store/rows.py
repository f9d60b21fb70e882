"""Small results, brought to the driver."""

from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame


def collect_rows(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows as dictionaries; for results that fit the driver."""
    return [row.asDict(recursive=True) for row in frame.collect()]


def collect_single_row(frame: DataFrame) -> dict[str, Any]:
    """The only row of an aggregate."""
    return collect_rows(frame)[0]


def row_times_in_utc(row: dict[str, Any]) -> dict[str, Any]:
    """A row that is given to Spark again: times in the zone of the driver, as Spark brings them, lose the hour that a
    change of clocks repeats on their way back."""
    return {name: at.astimezone(UTC) if isinstance(at, datetime) else at for name, at in row.items()}


def collect_and_recreate(frame: DataFrame) -> tuple[list[dict[str, Any]], DataFrame]:
    """A few rows, computed once, and as a frame of their own; no times without a zone among them."""
    rows = list(map(row_times_in_utc, collect_rows(frame)))
    return rows, frame.sparkSession.createDataFrame(rows, frame.schema)


def without_plan_if_small(frame: DataFrame, most: int) -> DataFrame:
    """The same rows without the plan that they came of, where there are not more than so many."""
    rows = frame.limit(most + 1).toArrow()
    return frame.sparkSession.createDataFrame(rows, schema=frame.schema) if rows.num_rows <= most else frame
