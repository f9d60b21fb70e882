"""Packs small things together: tasks follow bytes, not the number of files."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

BIN_BYTES = 32 << 20
WORTH_A_WORKER = 8 << 20  # a Python worker costs seconds of imports before it reads


def bin_by_size(
    spark: SparkSession, rows: Sequence[dict[str, Any]], sizes: Sequence[int], schema: StructType
) -> DataFrame:
    """The rows in partitions that each stand for about 32 MiB, small ones on as many cores as pay.

    A range of exactly as many partitions as bins, joined with the broadcast rows, puts a bin into a task.
    """
    cores = spark.sparkContext.defaultParallelism
    total = sum(sizes)
    count = max(1, min(cores, len(rows), -(-total // WORTH_A_WORKER)), -(-total // BIN_BYTES))
    loads = [0] * count
    placed = []
    for index in sorted(range(len(rows)), key=lambda one: -sizes[one]):
        lightest = loads.index(min(loads))
        loads[lightest] += sizes[index] + 1
        placed.append({**rows[index], "bin": lightest})
    with_bin = StructType([*schema.fields, StructField("bin", LongType(), nullable=False)])
    listed = spark.createDataFrame(placed, schema=with_bin)
    bins = spark.range(0, count, 1, count).withColumnRenamed("id", "bin")
    return bins.join(F.broadcast(listed), on="bin", how="inner").select(*schema.names)
