"""What a job sets in the session that it is given."""

import pytest
from pyspark.sql import SparkSession

from pipeline.store.spark.session import FEW_BYTES, SMALL_BYTES, tune_for_size, tune_local
from tests.tuning import tuning_kept

pytestmark = pytest.mark.spark
KEY = "spark.databricks.delta.snapshotPartitions"


@pytest.mark.parametrize(("given", "kept"), [(None, "1"), ("7", "7")])
def test_a_local_master_reads_the_state_of_a_table_in_one_task(
    spark: SparkSession, given: str | None, kept: str
) -> None:
    """Spark does not know Delta's settings before Delta is used, and says of none that it can be changed."""
    before = spark.conf.get(KEY, None)
    try:
        spark.conf.unset(KEY)
        if given is not None:
            spark.conf.set(KEY, given)
        tune_local(spark)
        assert spark.conf.get(KEY, None) == kept
    finally:
        spark.conf.unset(KEY)
        if before is not None:
            spark.conf.set(KEY, before)


PARTITIONS, SPLITS = "spark.sql.shuffle.partitions", "spark.sql.files.minPartitionNum"
SKIPPING = "spark.databricks.delta.stats.skipping"


@pytest.mark.parametrize(
    ("read", "stored", "expected"),
    [
        (0, 0, {PARTITIONS: "1", SPLITS: "1", SKIPPING: "false", "spark.sql.adaptive.enabled": "false"}),
        (0, SMALL_BYTES, {PARTITIONS: "1", SPLITS: "1", SKIPPING: "true"}),
        (FEW_BYTES, FEW_BYTES, {PARTITIONS: "2", SPLITS: None, "spark.sql.adaptive.enabled": "false"}),
        (SMALL_BYTES, SMALL_BYTES, {PARTITIONS: "4", SPLITS: None, "spark.sql.adaptive.enabled": "true"}),
    ],
)
def test_a_night_is_read_by_few_tasks(
    spark: SparkSession, read: int, stored: int, expected: dict[str, str | None]
) -> None:
    """From whatever was set for the cluster before; what the user set otherwise stays."""
    with tuning_kept(spark):
        for size in (0, FEW_BYTES, SMALL_BYTES):
            tune_for_size(spark, size, size)
            tune_for_size(spark, read, stored)
            assert {key: spark.conf.get(key, None) for key in expected} == expected
        spark.conf.set(PARTITIONS, "17")
        tune_for_size(spark, read, stored)
        assert spark.conf.get(PARTITIONS) == "17"
