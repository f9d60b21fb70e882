"""Rows of a table that tasks of Spark make: they become rows of Spark, or files that the tasks write."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from pipeline.store.spark.arrow_rows import MapBatches, spark_rows
from pipeline.store.spark.rows import collect_rows
from pipeline.store.tables.data_files import WRITTEN, WrittenFile, write_data_files
from schemas.spark import struct_of
from schemas.spec import TableSpec


@dataclass(frozen=True)
class TaskRows:
    """What `make` gives of the batches of a frame, those of a partition together."""

    frame: DataFrame
    make: MapBatches

    def as_frame(self, spec: TableSpec) -> DataFrame:
        return self.frame.mapInArrow(self.make, schema=struct_of(spec))

    def as_files(self, spec: TableSpec, folder: Path, zstd_level: int) -> list[WrittenFile]:
        """One job. folder: the table's, which executors see as the driver does. Between Arrow and Parquet stand no rows
        of Spark, which take longer than all else that is done to write."""
        make = self.make

        def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return write_data_files(make(batches), spec, folder, zstd_level)

        files = self.frame.mapInArrow(write, schema=from_arrow_schema(WRITTEN))
        return [WrittenFile(**row) for row in collect_rows(files)]


Rows: TypeAlias = pa.Table | TaskRows


def spark_frame_of(spark: SparkSession, spec: TableSpec, rows: Rows) -> DataFrame:
    return rows.as_frame(spec) if isinstance(rows, TaskRows) else spark_rows(spark, spec, rows)
