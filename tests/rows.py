"""Real logs through one kernel, and rows of tables to compare."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.core.expectations import broken_rows, expectation_of
from pipeline.core.frames import declared_table, frame_of
from schemas.spec import TableSpec
from tests.corpus import Row, records
from tests.tables import log_table


@cache
def records_of(cluster: Path) -> pl.DataFrame:
    """bronze.log_record of the folder of a cluster, read once a test run."""
    return frame_of(records(cluster))


def records_in(logs: dict[tuple[int, str], str], cluster_id: str = "c") -> pl.DataFrame:
    """bronze.log_record of log texts by (node_id, log)."""
    return frame_of(log_table(logs, cluster_id=cluster_id))


def family_rows(build: Callable[[pl.DataFrame], pl.DataFrame], spec: TableSpec, cluster: Path) -> list[Row]:
    return declared_rows(build(records_of(cluster)), spec).to_dicts()


def declared_rows(rows: pl.DataFrame, spec: TableSpec) -> pl.DataFrame:
    """The rows as they pass the border of kernels."""
    return frame_of(declared_table(rows, spec))


def same_rows(found: pl.DataFrame, expected: pl.DataFrame, *columns: str) -> None:
    """The named columns hold the same rows, in any order."""
    assert in_order(found, *columns) == in_order(expected, *columns)


def in_order(rows: pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(rows.select(columns).rows(), key=str)


def broken_rules(rows: pl.DataFrame, spec: TableSpec) -> list[str]:
    """What the declaration promises and the rows do not keep."""
    return [f"{rule}: {row}" for rule, row in broken_rows(rows, expectation_of(spec)).rows()]
