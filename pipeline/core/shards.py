"""Rows in shards of topics: what single records give, parted and judged where it is made."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import polars as pl
import pyarrow as pa
from polars import col

from pipeline.core.expectations import expectation_of, sifted_rows
from pipeline.core.frames import arrow_of_frame, declared_table, frame_of
from pipeline.core.packed_rows import (
    NO_SHARD,
    PACKED,
    RECORDS_AT_ONCE,
    TOPIC,
    Pack,
    RowKernel,
    gather_batches,
    packs_of,
)
from schemas.spec import TableSpec

BROKEN = ":broken"
TOPICS = ":topics"
LINE = ("file_id", "byte_offset")
SHARD, SHARDS = "shard", "shards"
Parts = Iterable[tuple[int, pl.DataFrame]]


def pack_rows_in_shards(
    batches: Iterable[pa.RecordBatch],
    kernels: Sequence[RowKernel],
    shards: int,
    at_once: int = RECORDS_AT_ONCE,
) -> Iterator[pa.RecordBatch]:
    """Batches (PACKED) of what kernels give of batches of records: tables that have a topic in so many shards, what
    breaks their promises under a name with BROKEN, their topics (TOPIC) under one with TOPICS. What is no table is of
    lines (LINE), and has SHARDS, a list: those of the topics that the record names; null: it names none."""
    for records in gather_batches(batches, at_once):
        frame = frame_of(records)
        rows = {kernel: kernel.rows(frame) for kernel in kernels}
        named = [
            frame_of(some).pipe(line_shards, shards) for kernel, some in rows.items() if kernel.is_by_topic
        ]
        packs = [
            pack for kernel, some in rows.items() for pack in packs_of_kernel(kernel, some, named, shards)
        ]
        if packs:
            yield pa.RecordBatch.from_pylist(packs, schema=PACKED)


def packs_of_kernel(
    kernel: RowKernel, rows: pa.Table, named: Sequence[pl.DataFrame], shards: int
) -> list[Pack]:
    if kernel.spec is not None and kernel.is_by_topic:
        sound, packs = judged_packs(kernel.spec, frame_of(rows), partial(rows_by_shard, shards=shards))
        topics = sound.select(TOPIC).drop_nulls().unique()
        return [*packs, *packs_of(kernel.name + TOPICS, NO_SHARD, arrow_of_frame(topics))]
    if kernel.spec is None and named:
        of_lines = pl.concat(named).unique().group_by(LINE).agg(col(SHARD).sort().alias(SHARDS))
        joined = frame_of(rows).join(of_lines, on=LINE, how="left", maintain_order="left")
        rows = arrow_of_frame(joined)
    return packs_of(kernel.name, NO_SHARD, rows)


def judged_packs(
    spec: TableSpec, rows: pl.DataFrame, parted: Callable[[pl.DataFrame], Parts]
) -> tuple[pl.DataFrame, list[Pack]]:
    """The sound rows of a table, and packs of them, parted by shard, and of what is said of the others: row_count of
    these is how many rows are left out."""
    sound, broken = sifted_rows(rows, expectation_of(spec))
    left_out = {"row_count": len(rows) - len(sound)}
    said = [one | left_out for one in packs_of(spec.name + BROKEN, NO_SHARD, arrow_of_frame(broken))]
    parts = (packs_of(spec.name, shard, declared_table(part, spec)) for shard, part in parted(sound))
    return sound, said + [pack for packs in parts for pack in packs]


def pack_stored_rows(
    batches: Iterable[pa.RecordBatch], name: str, spec: TableSpec, shards: int, at_once: int = RECORDS_AT_ONCE
) -> Iterator[pa.RecordBatch]:
    """Batches (PACKED) of stored rows of a table that has a topic, in shards, under that name."""
    for rows in gather_batches(batches, at_once):
        parts = rows_by_shard(frame_of(rows), shards)
        packs = [pack for shard, part in parts for pack in packs_of(name, shard, declared_table(part, spec))]
        if packs:
            yield pa.RecordBatch.from_pylist(packs, schema=PACKED)


def rows_by_shard(rows: pl.DataFrame, shards: int) -> Parts:
    """Rows in parts by topic, those of one topic together; what is of no topic under NO_SHARD."""
    parts = rows.with_columns(shard_of_topic(shards).fill_null(NO_SHARD)).partition_by(
        SHARD, as_dict=True, include_key=False
    )
    return [(int(number), part) for (number,), part in parts.items()]


def lines_by_shard(lines: pl.DataFrame, of_lines: pl.DataFrame) -> tuple[pl.DataFrame, Parts]:
    """Rows of lines (LINE) that name no topic, and those that do, by shard: a line that names several topics is in each
    of theirs. of_lines: (LINE, SHARDS)."""
    placed = lines.join(of_lines, on=LINE, how="left", maintain_order="left")
    is_named = col(SHARDS).is_not_null()
    each = placed.filter(is_named).explode(SHARDS).partition_by(SHARDS, as_dict=True, include_key=False)
    return placed.filter(~is_named).drop(SHARDS), [(int(number), part) for (number,), part in each.items()]


def line_shards(rows: pl.DataFrame, shards: int) -> pl.DataFrame:
    """(LINE, SHARD) of rows that are of a topic."""
    return rows.filter(col(TOPIC).is_not_null()).select(*LINE, shard_of_topic(shards)).unique()


def shard_of_topic(shards: int) -> pl.Expr:
    """Null where there is no topic."""
    is_named = col(TOPIC).is_not_null()
    return pl.when(is_named).then((col(TOPIC).hash() % shards).cast(pl.Int32)).alias(SHARD)
