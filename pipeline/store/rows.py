"""Small results, brought to the driver."""

from typing import Any

from pyspark.sql import DataFrame


def collect_rows(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows as dictionaries; for results that fit the driver."""
    return [row.asDict(recursive=True) for row in frame.collect()]


def collect_one(frame: DataFrame) -> dict[str, Any]:
    """The only row of an aggregate."""
    return collect_rows(frame)[0]


def small(frame: DataFrame, most: int) -> DataFrame:
    """The same rows without the plan that they came of, where there are not more than so many."""
    rows = frame.limit(most + 1).toArrow()
    return frame.sparkSession.createDataFrame(rows, schema=frame.schema) if rows.num_rows <= most else frame
