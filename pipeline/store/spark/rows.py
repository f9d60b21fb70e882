"""Small results, brought to the driver."""

from typing import Any

from pyspark.sql import DataFrame


def collect_rows(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows as dictionaries; for results that fit the driver."""
    return [row.asDict(recursive=True) for row in frame.collect()]


def collect_single_row(frame: DataFrame) -> dict[str, Any]:
    """The only row of an aggregate."""
    return collect_rows(frame)[0]
