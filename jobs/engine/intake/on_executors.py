"""The intake of a run as tasks of Spark."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from jobs.engine.intake.bins import bin_by_size
from jobs.engine.intake.executors import Fact, Range
from pipeline.bronze.file_look import Wanted
from pipeline.bronze.file_look import on_executors as looking
from pipeline.bronze.log_record import on_executors as reading
from pipeline.kafka.reading.masking import Masking
from pipeline.store.cluster_tables import ClusterTables
from pipeline.store.spark.arrow_rows import spark_rows
from pipeline.store.spark.rows import collect_rows
from pipeline.store.tables.task_rows import TaskRows
from schemas.bronze import log_record, source_file


@dataclass(frozen=True)
class SparkIntake:
    """Of one cluster."""

    tables: ClusterTables

    def look(self, rows: Sequence[Fact], wanted: Wanted) -> list[Fact]:
        sizes = [row["stored_bytes"] for row in rows]
        paths = bin_by_size(self.tables.store.spark, rows, sizes, looking.PATH)
        return collect_rows(looking.build(paths, wanted))

    def read(self, ranges: Sequence[Range], masking: Masking | None) -> None:
        """Plain files in ranges, compressed ones whole."""
        rows = list(map(dict, ranges))
        sizes = [row["end"] - row["start"] for row in rows]
        frame = bin_by_size(self.tables.store.spark, rows, sizes, reading.RANGE)
        self.tables.append(log_record.SPEC, TaskRows(frame, partial(reading.read_ranges, masking=masking)))

    def reparse(self, files: pa.Table) -> None:
        store = self.tables.store
        rows = reading.stored_records(
            store.delta.read(log_record.SPEC), spark_rows(store.spark, source_file.SPEC, files)
        )
        self.tables.replace(log_record.SPEC, TaskRows(rows, reading.reparsed_records))
