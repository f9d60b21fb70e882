"""Small frames for tests of kernels: from log lines by the product's own reader, and from text with one row a line."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pyarrow as pa

from pipeline.core.frames import frame_of
from schemas.spec import TableSpec

EPOCH = datetime(2026, 11, 21, tzinfo=UTC)


def frame(spec: TableSpec, text: str) -> pl.DataFrame:
    """A table from text: names of columns, then a row a line, cells between bars; an empty cell is null.

    Columns that the text leaves out are null (times: seconds since EPOCH; lists: [1 2 3]).
    """
    head, *lines = [line for line in text.strip().splitlines() if line.strip()]
    names = [name.strip() for name in head.split("|")]
    cells = [dict(zip(names, (cell.strip() for cell in line.split("|")), strict=True)) for line in lines]
    columns = [
        pa.array([value(one.type, row.get(one.name, "")) for row in cells], one.type) for one in spec.arrow
    ]
    loose = pa.schema([one.with_nullable(True) for one in spec.arrow])
    return frame_of(pa.Table.from_arrays(columns, schema=loose))


def value(kind: pa.DataType, cell: str) -> Any:  # noqa: PLR0911 - a line a type
    if cell == "":
        return None
    if pa.types.is_list(kind):
        return [int(one) if pa.types.is_integer(kind.value_type) else one for one in cell.strip("[]").split()]
    if pa.types.is_integer(kind):
        return int(cell)
    if pa.types.is_floating(kind):
        return float(cell)
    if pa.types.is_boolean(kind):
        return cell == "true"
    if pa.types.is_timestamp(kind):
        return EPOCH + timedelta(milliseconds=round(float(cell) * 1000))
    return cell


def at(seconds: float) -> datetime:
    """The time that a cell with these seconds means."""
    return EPOCH + timedelta(milliseconds=round(seconds * 1000))
