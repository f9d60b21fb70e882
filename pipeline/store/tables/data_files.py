"""Data files of Delta tables as tasks write them by themselves: Parquet, its sums, and what Delta keeps of it.

Source: Delta's protocol, "Add File and Remove File" and "Per-file Statistics"; tests/store/test_data_files.py holds
them against what delta-rs writes.
"""

import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.core.packed_rows import gather_batches
from pipeline.store.files.hadoop_sums import keep_sums
from pipeline.store.spark.session import WITHOUT_DICTIONARY
from pipeline.store.spark.spark_configuration import SKIPPED_BY
from schemas.spec import TableSpec

PAGE_BYTES, GROUP_ROWS = 8 << 20, 1_000_000
# So many rows make a file: a task with more writes several, one with fewer a smaller one.
ROWS_AT_ONCE = 400_000
WRITTEN = pa.schema(
    [
        pa.field("path", pa.string(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("statistics", pa.string(), nullable=False),
    ]
)


@dataclass(frozen=True)
class WrittenFile:
    """A file in the folder of its table, which no commit names yet.

    size: bytes; statistics: as Delta's log has them."""

    path: str
    size: int
    statistics: str


def write_data_files(
    batches: Iterable[pa.RecordBatch], spec: TableSpec, folder: Path, zstd_level: int
) -> Iterator[pa.RecordBatch]:
    """Batches (WRITTEN) of the files that hold the rows. folder: the table's.

    ValueError: a value is null that may not be. OSError: the disk is full or gone.
    """
    for rows in gather_batches(as_declared(batches, spec), ROWS_AT_ONCE):
        if rows.num_rows:
            written = write_data_file(rows, folder, zstd_level)
            yield pa.RecordBatch.from_pylist([asdict(written)], schema=WRITTEN)


def as_declared(batches: Iterable[pa.RecordBatch], spec: TableSpec) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from pa.Table.from_batches([batch]).select(spec.columns).cast(spec.arrow).to_batches()


def write_data_file(rows: pa.Table, folder: Path, zstd_level: int) -> WrittenFile:
    """A new file of the rows, with its sums beside it; compressed and indexed as `STORED` has Spark do it."""
    name = f"part-00000-{uuid.uuid4()}-c000.zstd.parquet"
    leaves = leaf_paths(rows.schema)
    pq.write_table(
        rows,
        folder / name,
        row_group_size=GROUP_ROWS,
        data_page_size=PAGE_BYTES,
        compression="zstd",
        compression_level=zstd_level,
        use_dictionary=[one for one in leaves if one not in WITHOUT_DICTIONARY],
        write_statistics=[one for one in leaves if one in SKIPPED_BY],
        store_schema=False,
    )
    keep_sums(folder / name)
    return WrittenFile(name, (folder / name).stat().st_size, statistics_of(rows))


def leaf_paths(schema: pa.Schema) -> list[str]:
    """Names of what Parquet keeps as columns: of a list of structs each field is one."""
    columns = pq.ParquetFile(empty_file(schema)).schema
    return [columns.column(place).path for place in range(len(columns))]


def empty_file(schema: pa.Schema) -> pa.BufferReader:
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    return pa.BufferReader(sink.getvalue())


def statistics_of(rows: pa.Table) -> str:
    """What Delta skips files by: bounds of the columns that tables are searched by, and how often these are null."""
    columns = {name: rows.column(name) for name in rows.column_names if name in SKIPPED_BY}
    bounds = {name: pc.min_max(column).as_py() for name, column in columns.items()}
    told = {
        "numRecords": rows.num_rows,
        "minValues": {
            name: statistics_value(one["min"]) for name, one in bounds.items() if one["min"] is not None
        },
        "maxValues": {
            name: statistics_value(one["max"]) for name, one in bounds.items() if one["max"] is not None
        },
        "nullCount": {name: column.null_count for name, column in columns.items()},
    }
    return json.dumps(told, separators=(",", ":"))


def statistics_value(value: Any) -> Any:
    """A moment in UTC, cut to the millisecond, as Spark and delta-rs tell it: readers know."""
    return (
        f"{value:%Y-%m-%dT%H:%M:%S}.{value.microsecond // 1000:03}Z" if isinstance(value, datetime) else value
    )
