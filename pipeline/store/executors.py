"""Kernels on the executors: those of single records in one pass over them, without a shuffle; those of topics in
shards, by a shuffle of packs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from pipeline.core.conditions import Condition
from pipeline.core.frames import empty_frame
from pipeline.core.packed_rows import (
    NO_SHARD,
    PACKED,
    Pack,
    RowKernel,
    pack_kernel_rows,
    unpack_rows,
    unpacked_batches,
)
from pipeline.core.shard_steps import ShardInputs, ShardStep, pack_shard_rows
from pipeline.core.shards import LINE, pack_rows_in_shards, pack_stored_rows
from pipeline.store.cluster_tables import ClusterTables, column_of
from pipeline.store.spark.arrow_rows import MapBatches, files_for
from pipeline.store.spark.rows import collect_rows
from pipeline.store.tables.direct_reading import arrow_table_as_declared, local_folder
from pipeline.store.tables.file_parts import FilePart, parts_of_table, rows_of_part
from pipeline.store.tables.part_tasks import in_tasks
from pipeline.store.tables.record_parts import records_of_part
from pipeline.store.tables.task_rows import Rows, TaskRows
from schemas.bronze import duplicate_record, log_record
from schemas.bronze.log_record import NOT_WHOLE
from schemas.spec import TableSpec

RAW = "raw"
KEPT = StorageLevel.MEMORY_AND_DISK
# Of a table that executors hold so many rows the driver takes and writes.
ROWS_BROUGHT = 100_000


@dataclass(frozen=True)
class SparkExecutors:
    """Takes the records of bronze.log_record where Spark reads them."""

    tables: ClusterTables

    def run(
        self, kernels: Sequence[RowKernel], condition: Condition | None, shards: int = 0
    ) -> "SparkPackedRows":
        def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            if shards:
                return pack_rows_in_shards(batches, kernels, shards)
            return pack_kernel_rows(batches, kernels)

        return kept_packs(self.tables, self.packs_of_records(condition, pack), shards)

    def stored(
        self, asked: Sequence[tuple[str, TableSpec, Condition | None]], shards: int
    ) -> "SparkPackedRows":
        packs = [self.stored_packs(*one, shards) for one in asked]
        return kept_packs(self.tables, reduce(DataFrame.unionAll, packs), shards)

    def stored_packs(self, name: str, spec: TableSpec, condition: Condition | None, shards: int) -> DataFrame:
        def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return pack_stored_rows(batches, name, spec, shards)

        parts = self.parts(spec, condition)
        if parts is None:
            rows = self.tables.store.delta.read(spec).select(*spec.columns)
            rows = rows if condition is None else rows.where(column_of(condition))
            return rows.mapInArrow(pack, schema=from_arrow_schema(PACKED))

        def read(part: FilePart) -> pa.Table:
            return arrow_table_as_declared(rows_of_part(part, spec, condition, spec.columns), spec)

        return in_tasks(self.tables.store.spark, parts, read, pack, from_arrow_schema(PACKED))

    def parts(self, spec: TableSpec, condition: Condition | None) -> list[FilePart] | None:
        """Of a table in a folder that executors see as the driver does: they read its files by themselves. Each row
        that Spark reads it turns into Arrow anew, which takes some twenty times as long as to read it."""
        folder = local_folder(self.tables.store.folder)
        return None if folder is None else parts_of_table(folder, spec, condition)

    def packs_of_records(self, condition: Condition | None, pack: MapBatches) -> DataFrame:
        spec, schema = log_record.SPEC, from_arrow_schema(PACKED)
        has_copies = self.tables.has_rows(duplicate_record.SPEC)
        parts = self.parts(spec, condition)
        copies = self.parts(duplicate_record.SPEC, condition) if has_copies else []
        if parts is None or copies is None:
            return self.records(condition).mapInArrow(pack, schema=schema)

        def read(part: FilePart) -> pa.Table:
            return records_of_part(part, condition, copies)

        return in_tasks(self.tables.store.spark, parts, read, pack, schema)

    def hold(self, packs: Sequence[Pack], shards: int) -> "SparkPackedRows":
        rows = self.tables.store.spark.createDataFrame(
            pa.Table.from_pylist(list(packs), schema=PACKED), schema=from_arrow_schema(PACKED)
        )
        counts, unparted = Counter[str](), Counter[str]()
        for one in packs:
            counts[one["name"]] += one["row_count"]
            if one["shard"] == NO_SHARD:
                unparted[one["name"]] += one["row_count"]
        return SparkPackedRows(self.tables, rows.persist(KEPT), counts, unparted, shards)

    def records(self, condition: Condition | None) -> DataFrame:
        """Without those that another file brought before; with bytes only where nothing else tells what they say."""
        read = self.tables.store.delta.read
        rows = read(log_record.SPEC)
        rows = rows if condition is None else rows.where(column_of(condition))
        raw = F.when(F.col("not_understood_reason").isin(*NOT_WHOLE), F.col(RAW)).alias(RAW)
        rows = rows.select(*(raw if name == RAW else F.col(name) for name in log_record.SPEC.columns))
        if not self.tables.has_rows(duplicate_record.SPEC):
            return rows
        copies = read(duplicate_record.SPEC).select(*LINE)
        return rows.join(F.broadcast(copies), on=[*LINE], how="left_anti").select(*log_record.SPEC.columns)


@dataclass(frozen=True, eq=False)
class SparkPackedRows:
    """packs: rows of PACKED, computed once and kept on the executors. counts: how many rows they hold by name;
    unparted: of these how many are in no shard; brought_here: packs of names that are in none, if they are here
    already."""

    tables: ClusterTables
    packs: DataFrame
    counts: Mapping[str, int]
    unparted: Mapping[str, int]
    shards: int = 0
    brought_here: Mapping[str, Sequence[bytes]] = field(default_factory=dict)

    def of(self, name: str) -> DataFrame:
        return self.packs.where(F.col("name") == name)

    def count(self, name: str) -> int:
        return self.counts.get(name, 0)

    def count_of_topics(self, name: str) -> int:
        return self.count(name) - self.unparted.get(name, 0)

    def rows(self, kernel: RowKernel) -> pa.Table:
        return self.brought(self.of(kernel.name)) or kernel.rows(empty_frame(log_record.SPEC))

    def named(self, name: str) -> pa.Table | None:
        if name in self.brought_here:
            return unpacked_table(self.brought_here[name])
        return self.brought(self.of(name)) if self.count(name) else None

    def of_no_topic(self, name: str) -> pa.Table | None:
        if not self.unparted.get(name):
            return None
        return self.brought(self.of(name).where(F.col("shard") == NO_SHARD))

    def brought(self, packs: DataFrame) -> pa.Table | None:
        found = packs.select("rows").toArrow().column("rows")
        return unpacked_table(one.as_py() for one in found) if len(found) else None

    def write(self, spec: TableSpec, *, is_added: bool) -> None:
        if is_added and not self.count(spec.name):
            return
        (self.tables.append if is_added else self.tables.replace)(spec, self.written(spec))

    def write_from(self, spec: TableSpec, column: str, start: datetime) -> None:
        self.tables.replace_from(spec, self.written(spec), column, start)

    def written(self, spec: TableSpec) -> Rows:
        return self.here(spec) if self.is_little(spec) else self.rows_of(spec)

    def is_little(self, spec: TableSpec) -> bool:
        """True if it takes a job to bring the rows here, and none to write them."""
        return self.count(spec.name) <= ROWS_BROUGHT and local_folder(self.tables.store.folder) is not None

    def here(self, spec: TableSpec) -> pa.Table:
        rows = self.named(spec.name)
        return spec.arrow.empty_table() if rows is None else rows

    def rows_of(self, spec: TableSpec) -> TaskRows:
        """In files of some size: several packs are written by one task."""
        return TaskRows(self.of(spec.name).coalesce(files_for(self.count(spec.name))), unpacked_batches)

    def run_shards(
        self, steps: Sequence[ShardStep], inputs: ShardInputs, more: Sequence["SparkPackedRows"]
    ) -> "SparkPackedRows":
        def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return pack_shard_rows(batches, steps, inputs)

        is_asked = F.col("name").isin(*inputs.pack_names) & (F.col("shard") != NO_SHARD)
        asked = reduce(DataFrame.unionAll, [one.packs.where(is_asked) for one in (self, *more)])
        packs = asked.repartitionById(self.shards, F.col("shard")).mapInArrow(
            pack, schema=from_arrow_schema(PACKED)
        )
        kept = kept_packs(self.tables, packs, self.shards)
        return replace(kept, brought_here=kept.unparted_alone())

    def unparted_alone(self) -> Mapping[str, Sequence[bytes]]:
        """By name the packs of what is in no shard at all, all at once: a job brings them, however many names there
        are."""
        names = [name for name, count in self.unparted.items() if count == self.counts[name]]
        found: dict[str, list[bytes]] = {name: [] for name in names}
        if names:
            for row in (
                self.packs.where(F.col("name").isin(names)).select("name", "rows").toArrow().to_pylist()
            ):
                found[row["name"]].append(row["rows"])
        return found

    def release(self) -> None:
        self.packs.unpersist()


def kept_packs(tables: ClusterTables, packs: DataFrame, shards: int) -> SparkPackedRows:
    """The packs computed, and kept where they are."""
    packs = packs.persist(KEPT)
    unparted = F.sum(F.when(F.col("shard") == NO_SHARD, F.col("row_count")).otherwise(0))
    counted = packs.groupBy("name").agg(F.sum("row_count").alias("row_count"), unparted.alias("unparted"))
    counts = {row["name"]: row for row in collect_rows(counted)}
    return SparkPackedRows(
        tables,
        packs,
        {name: row["row_count"] for name, row in counts.items()},
        {name: row["unparted"] for name, row in counts.items() if row["unparted"]},
        shards,
    )


def unpacked_table(packs: Iterable[bytes]) -> pa.Table:
    parts = (pa.Table.from_batches(unpack_rows([one])) for one in packs)
    return pa.concat_tables(parts, promote_options="permissive")
