"""Rows of several tables in one stream: each row of it is the name of a table, and some of its rows as Arrow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from pipeline.core.frames import arrow_of_frame, declared_table, frame_of
from schemas.spec import TableSpec

PACKED = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("shard", pa.int32(), nullable=False),
        pa.field("row_count", pa.int64(), nullable=False),
        pa.field("rows", pa.binary(), nullable=False),
    ]
)
COMPRESSION = "zstd"
# Rows that are of no topic, or of a table that is not kept by topic: no shard has them for itself.
NO_SHARD = -1
TOPIC = "topic"
# Kernels take so many records at once: more cost memory, fewer cost a call's fixed time more often.
RECORDS_AT_ONCE = 100_000
Build = Callable[[pl.DataFrame], pl.DataFrame]
Pack = dict[str, Any]  # a row of PACKED


@dataclass(frozen=True)
class RowKernel:
    """A function of single records: parts of the records give parts of its rows.

    spec: the table that its rows are declared by; None: what it gives is no table and is taken as it is.
    """

    name: str
    build: Build
    spec: TableSpec | None = None

    @property
    def is_by_topic(self) -> bool:
        """Its rows can be parted by topic."""
        return self.spec is not None and TOPIC in self.spec.columns

    def rows(self, records: pl.DataFrame) -> pa.Table:
        found = self.build(records)
        if self.spec is not None:
            return declared_table(found, self.spec)
        return arrow_of_frame(found)


def pack_kernel_rows(
    batches: Iterable[pa.RecordBatch], kernels: Sequence[RowKernel], at_once: int = RECORDS_AT_ONCE
) -> Iterator[pa.RecordBatch]:
    """Batches (PACKED) of what kernels give of batches of records; a kernel that gives nothing has no row."""
    for records in gather_batches(batches, at_once):
        frame = frame_of(records)
        some = [one for kernel in kernels for one in packs_of(kernel.name, NO_SHARD, kernel.rows(frame))]
        if some:
            yield pa.RecordBatch.from_pylist(some, schema=PACKED)


def packs_of(name: str, shard: int, rows: pa.Table) -> list[Pack]:
    """One row of PACKED, none where there are no rows."""
    if not rows.num_rows:
        return []
    return [{"name": name, "shard": shard, "row_count": rows.num_rows, "rows": ipc_bytes(rows)}]


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
