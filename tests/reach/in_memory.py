"""Executors in this process: packs as Spark's tasks give and take them, and tables in memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl
import pyarrow as pa

from pipeline.core.conditions import Condition
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.packed_rows import NO_SHARD, Pack, RowKernel
from pipeline.core.shard_steps import ShardInputs, ShardStep, pack_shard_rows, unpacked
from pipeline.core.shards import pack_rows_in_shards, pack_stored_rows
from pipeline.core.stored_tables import MemoryTables
from schemas.bronze import log_record
from schemas.spec import TableSpec

RECORDS_AT_ONCE = 2_000  # so that a table comes in several packs


@dataclass(frozen=True, eq=False)
class MemoryPacks:
    """packs: rows of PACKED. runs: of all that ran on shards the number of tasks."""

    tables: MemoryTables
    packs: list[Pack]
    shards: int
    runs: list[int]

    def count(self, name: str) -> int:
        return sum(one["row_count"] for one in self.packs if one["name"] == name)

    def count_of_topics(self, name: str) -> int:
        return sum(one["row_count"] for one in self.packs if one["name"] == name and one["shard"] != NO_SHARD)

    def rows(self, kernel: RowKernel) -> pa.Table:
        found = self.named(kernel.name)
        return kernel.rows(empty_frame(log_record.SPEC)) if found is None else found

    def of_no_topic(self, name: str) -> pa.Table | None:
        some = [one for one in self.packs if one["shard"] == NO_SHARD]
        return MemoryPacks(self.tables, some, self.shards, self.runs).named(name)

    def named(self, name: str) -> pa.Table | None:
        some = [one["rows"] for one in self.packs if one["name"] == name]
        return unpacked(some).to_arrow(compat_level=pl.CompatLevel.oldest()) if some else None

    def write(self, spec: TableSpec, *, is_added: bool) -> None:
        rows = self.named(spec.name)
        if not is_added:
            self.tables.replace(spec, empty_frame(spec).to_arrow() if rows is None else rows)
        elif rows is not None:
            self.tables.append(spec, rows)

    def write_from(self, spec: TableSpec, column: str, start: datetime) -> None:
        rows = self.named(spec.name)
        self.tables.replace_from(spec, empty_frame(spec).to_arrow() if rows is None else rows, column, start)

    def run_shards(
        self, steps: Sequence[ShardStep], inputs: ShardInputs, more: Sequence["MemoryPacks"]
    ) -> "MemoryPacks":
        packs = [one for held in (self, *more) for one in held.packs if one["name"] in inputs.pack_names]
        found: list[Pack] = []
        for shard in range(self.shards):
            some = [one for one in packs if one["shard"] == shard]
            batches = [pa.RecordBatch.from_pylist([one]) for one in some]
            found += rows_of(pack_shard_rows(batches, steps, inputs))
        self.runs.append(len({one["shard"] for one in packs} - {NO_SHARD}))
        return MemoryPacks(self.tables, found, self.shards, self.runs)

    def release(self) -> None:
        """They go with this object."""


@dataclass(frozen=True)
class MemoryExecutors:
    tables: MemoryTables
    runs: list[int]

    def run(self, kernels: Sequence[RowKernel], condition: Condition | None, shards: int = 0) -> MemoryPacks:
        records = frame_of(self.tables.read(log_record.SPEC, condition))
        batches = records.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches(
            max_chunksize=RECORDS_AT_ONCE
        )
        packs = rows_of(pack_rows_in_shards(batches, kernels, shards, RECORDS_AT_ONCE))
        return MemoryPacks(self.tables, packs, shards, self.runs)

    def stored(self, asked: Sequence[tuple[str, TableSpec, Condition | None]], shards: int) -> MemoryPacks:
        packs: list[Pack] = []
        for name, spec, condition in asked:
            batches = self.tables.read(spec, condition).to_batches(max_chunksize=RECORDS_AT_ONCE)
            packs += rows_of(pack_stored_rows(batches, name, spec, shards, RECORDS_AT_ONCE))
        return MemoryPacks(self.tables, packs, shards, self.runs)

    def hold(self, packs: Sequence[Pack], shards: int) -> MemoryPacks:
        return MemoryPacks(self.tables, list(packs), shards, self.runs)


def rows_of(batches: Iterable[pa.RecordBatch]) -> list[Pack]:
    return [row for batch in batches for row in batch.to_pylist()]
