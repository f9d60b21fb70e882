"""Real logs through one build: a cluster's records, and its rows."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from schemas.bronze import log_record
from tests.lab import Row, records, rows_of


@cache
def records_of(cluster: Path) -> pa.Table:
    """bronze.log_record of the folder of a cluster, read once a test run."""
    return records(cluster)


def record_frame(spark: SparkSession, cluster: Path) -> DataFrame:
    return spark.createDataFrame(records_of(cluster), schema=log_record.SPEC.struct)


def family_rows(spark: SparkSession, build: Callable[[DataFrame], DataFrame], cluster: Path) -> list[Row]:
    return rows_of(build(record_frame(spark, cluster)))
