"""Rows of a Delta table in parts that whoever sees its files reads by itself: a part is some rows of a data file."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import unquote

import polars as pl
import pyarrow as pa
from deltalake import DeltaTable
from polars import col, lit

from pipeline.core.conditions import Both, Compared, Condition, Either, IsIn, IsNull, Not
from pipeline.core.frames import empty_frame
from pipeline.store.files.hadoop_sums import is_as_summed
from pipeline.store.tables.contents import files_in
from pipeline.store.tables.direct_reading import (
    UNREADABLE,
    chosen,
    failure_of_files,
    open_version,
    require_later,
    unread_version_error,
    vectors_in,
)
from schemas.spec import TableSpec

ROWS_OF_A_PART = 250_000
# Delta cuts times of statistics to milliseconds.
CUT = timedelta(milliseconds=1)


@dataclass(frozen=True)
class FilePart:
    """Rows of the data file at a path, from the one at `first` on. count: None: the whole file."""

    path: str
    first: int = 0
    count: int | None = None


def parts_of_table(folder: Path, spec: TableSpec, condition: Condition | None) -> list[FilePart] | None:
    """The newest version in parts of about ROWS_OF_A_PART, without files of which Delta's statistics tell that no row
    meets the condition. None: rows are marked as deleted, which the files do not tell.

    folder: a cluster's. WarehouseDamaged: the table is gone, or not as it was published.
    """
    uri = f"{folder}/{spec.layer}/{spec.table}"
    try:
        table = open_version(uri, None, None)
        if vectors_in(table):
            return None
        there = {one.name for one in table.schema().fields}
        require_later(uri, table, [name for name in spec.columns if name not in there])
        asked = paths_among(table, condition)
        files = [one for one in files_in(table) if one.path in asked]
    except UNREADABLE as problem:
        raise unread_version_error(problem, str(folder), spec, None) from problem
    return [part for one in files for part in parts_of_file(f"{uri}/{one.path}", one.rows)]


def parts_of_file(path: str, rows: int | None) -> list[FilePart]:
    if rows is None or rows <= ROWS_OF_A_PART:
        return [FilePart(path)]
    return [FilePart(path, first, ROWS_OF_A_PART) for first in range(0, rows, ROWS_OF_A_PART)]


def paths_among(table: DeltaTable, condition: Condition | None) -> set[str]:
    """Paths, below the table's folder, of the data files that may hold rows that meet the condition."""
    files = pl.DataFrame(pa.table(table.get_add_actions(flatten=True)))
    if condition is not None:
        files = files.filter(may_meet(condition, files.columns).fill_null(value=True))
    return set(map(unquote, files["path"].to_list()))


def may_meet(condition: Condition, told: Sequence[str]) -> pl.Expr:  # noqa: PLR0911 - a line a condition
    """Of the statistics of a file (told: their names) that a row of it may meet the condition; null: they do not
    tell."""
    match condition:
        case Both(one, other):
            return may_meet(one, told) & may_meet(other, told)
        case Either(one, other):
            return may_meet(one, told) | may_meet(other, told)
        case IsNull(name) if f"null_count.{name}" in told:
            return col(f"null_count.{name}") > 0
        case Not(Compared(name, "<", value)):
            return may_meet(Compared(name, ">=", value), told)
        case Not(Compared(name, ">=", value)):
            return may_meet(Compared(name, "<", value), told)
        case Not(Either(one, other)):
            return may_meet(Not(one) & Not(other), told)
        case IsIn(name, values) if f"max.{name}" in told and all(isinstance(one, int) for one in values):
            is_beside = [(col(f"min.{name}") <= one) & (col(f"max.{name}") >= one) for one in values]
            return pl.any_horizontal(is_beside) if is_beside else lit(value=False)
        case Compared(name, "<", value) if f"min.{name}" in told and not isinstance(value, str):
            return col(f"min.{name}") < value
        case Compared(name, ">=", value) if f"max.{name}" in told and not isinstance(value, str):
            slack = CUT if isinstance(value, datetime) else 0
            return col(f"max.{name}") + slack >= value
    return lit(value=None, dtype=pl.Boolean)


def rows_of_part(
    part: FilePart, spec: TableSpec, condition: Condition | None, columns: Sequence[str]
) -> pl.DataFrame:
    """Rows of the part that meet the condition, as they are stored. A column that the file has not is null.

    OSError: the file is gone, or has other bytes than were written.
    """
    if not part.first and is_as_summed(Path(part.path)) is False:
        raise OSError(errno.EIO, "Checksum differs: other bytes than were written", part.path)
    declared = empty_frame(spec)
    try:
        rows = pl.scan_parquet(part.path, glob=False)
        there = rows.collect_schema()
        absent = {name: lit(None, declared.schema[name]) for name in spec.columns if name not in there}
        whole = rows if part.count is None else rows.slice(part.first, part.count)
        return chosen(whole.with_columns(**absent), condition, columns)
    except pl.exceptions.PolarsError as problem:
        raise failure_of_files(problem, part.path, declared.lazy(), condition, columns) from problem
