"""What a job sets in the session that it is given."""

import pytest
from pyspark.sql import SparkSession

from pipeline.store.session import tune_local

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
