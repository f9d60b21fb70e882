"""Rows on their way between Spark and the driver's Arrow tables."""

from collections.abc import Callable, Iterable

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from schemas.spark import struct_of
from schemas.spec import TableSpec

# What a task makes of the batches that it gets.
MapBatches = Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]
# So many rows go into one file; more are written by several tasks.
ROWS_OF_A_FILE = 250_000


def files_for(rows: int) -> int:
    return max(1, -(-rows // ROWS_OF_A_FILE))


def arrow_of(rows: DataFrame, spec: TableSpec) -> pa.Table:
    """All rows of a frame with columns of the declaration, as Arrow of the declared types: one Spark job."""
    found = rows.toArrow()
    wanted = [spec.arrow.field(name).with_nullable(True) for name in found.schema.names]
    columns = [found.column(one.name).cast(one.type) for one in wanted]
    return pa.Table.from_arrays(columns, schema=pa.schema(wanted))


def spark_rows(spark: SparkSession, spec: TableSpec, rows: pa.Table) -> DataFrame:
    """The declared columns of an Arrow table as a frame that Spark can write: a task for each file.

    Spark makes a partition of each batch (spark.sql.execution.arrow.maxRecordsPerBatch), which may be a thousand."""
    if not rows.num_rows:
        return spark.createDataFrame([], schema=struct_of(spec))
    frame = spark.createDataFrame(rows.select(spec.columns), schema=struct_of(spec))
    return frame.coalesce(files_for(rows.num_rows))
