"""Rows of several tables in one stream: each row of it is the name of a table, and some of its rows as Arrow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl
import pyarrow as pa

from pipeline.core.conditions import Condition
from pipeline.core.frames import declared_table, frame_of
from schemas.spec import TableSpec

PACKED = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("row_count", pa.int64(), nullable=False),
        pa.field("rows", pa.binary(), nullable=False),
    ]
)
COMPRESSION = "zstd"
# Kernels take so many records at once: more cost memory, fewer cost a call's fixed time more often.
RECORDS_AT_ONCE = 100_000
Build = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class RowKernel:
    """A function of single records: parts of the records give parts of its rows.

    spec: the table that its rows are declared by; None: what it gives is no table and is taken as it is.
    """

    name: str
    build: Build
    spec: TableSpec | None = None

    def rows(self, records: pl.DataFrame) -> pa.Table:
        found = self.build(records)
        if self.spec is not None:
            return declared_table(found, self.spec)
        return found.to_arrow(compat_level=pl.CompatLevel.oldest())


class PackedRows(Protocol):
    """What kernels gave of records, held by whoever computed it until it is released."""

    def rows(self, kernel: RowKernel) -> pa.Table:
        """Brings the rows of one kernel to the driver."""

    def write(self, spec: TableSpec, *, is_added: bool) -> None:
        """Writes the rows of a table from where they are: beside what is stored, or in place of it."""

    def release(self) -> None:
        """Lets go of them."""


class RowExecutors(Protocol):
    """Runs kernels where the records are."""

    def run(self, kernels: Sequence[RowKernel], condition: Condition | None) -> PackedRows:
        """What the kernels give of the records that meet the condition, copies left out."""


def pack_kernel_rows(
    batches: Iterable[pa.RecordBatch], kernels: Sequence[RowKernel], at_once: int = RECORDS_AT_ONCE
) -> Iterator[pa.RecordBatch]:
    """Batches (PACKED) of what kernels give of batches of records; a kernel that gives nothing has no row."""
    for records in gather_batches(batches, at_once):
        frame = frame_of(records)
        tables = [(kernel.name, kernel.rows(frame)) for kernel in kernels]
        some = [
            {"name": name, "row_count": rows.num_rows, "rows": ipc_bytes(rows)}
            for name, rows in tables
            if rows.num_rows
        ]
        if some:
            yield pa.RecordBatch.from_pylist(some, schema=PACKED)


def gather_batches(batches: Iterable[pa.RecordBatch], at_once: int) -> Iterator[pa.Table]:
    """The batches in tables of at least so many rows, but the last."""
    some: list[pa.RecordBatch] = []
    for batch in batches:
        some.append(batch)
        if sum(one.num_rows for one in some) >= at_once:
            yield pa.Table.from_batches(some)
            some = []
    if some:
        yield pa.Table.from_batches(some)


def ipc_bytes(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression=COMPRESSION)) as out:
        out.write_table(rows)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def unpack_rows(packs: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    """The rows of packs of one table."""
    for pack in packs:
        with pa.ipc.open_stream(pack) as stream:
            yield from stream


def unpacked_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same of batches (PACKED) that hold packs of one table."""
    for batch in batches:
        yield from unpack_rows(one.as_py() for one in batch.column("rows"))
