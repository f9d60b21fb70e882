"""Rows of the driver as Spark writes them: tasks and files follow the rows, not the batches that carry them."""

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from pipeline.store.spark.arrow_rows import ROWS_OF_A_FILE, spark_rows
from schemas.silver import replica_offset

pytestmark = pytest.mark.spark
# Of more bytes than the threshold each batch is a partition.
SET = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "250",
    "spark.sql.execution.arrow.localRelationThreshold": "0b",
}


@pytest.mark.parametrize(("rows", "tasks"), [(0, 1), (2_000, 1), (ROWS_OF_A_FILE + 1, 2)])
def test_a_task_writes_a_file_of_many_batches(spark: SparkSession, rows: int, tasks: int) -> None:
    before = {name: str(spark.conf.get(name)) for name in SET}
    for name, value in SET.items():
        spark.conf.set(name, value)
    try:
        columns = [column_of(one, rows) for one in replica_offset.SPEC.arrow]
        table = pa.Table.from_arrays(columns, schema=replica_offset.SPEC.arrow)
        assert max(1, spark_rows(spark, replica_offset.SPEC, table).rdd.getNumPartitions()) == tasks
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def column_of(field: pa.Field, rows: int) -> pa.Array:
    if field.nullable:
        return pa.nulls(rows, field.type)
    value = pa.scalar("a") if pa.types.is_string(field.type) else pa.scalar(0).cast(field.type)
    return pa.repeat(value, rows)
