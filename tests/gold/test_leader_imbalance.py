"""Ratios of brokers: one interval a controller event, topics queued for deletion left out, strictly over the limit."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from pipeline.gold import leader_imbalance
from schemas.gold.leader_imbalance import SPEC
from tests.tables import same_rows, table

COLUMNS = (
    "broker_id",
    "valid_from_at",
    "valid_until_at",
    "preferred_count",
    "led_elsewhere_count",
    "imbalance_ratio",
    "is_breach",
)


@pytest.mark.spark
def test_intervals_of_imbalance(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    expected = table(
        spark,
        SPEC,
        """
        broker_id | valid_from_at | valid_until_at | preferred_count | led_elsewhere_count | is_breach
        1         | 2.002         |                | 1               | 0                   | false
        2         | 2.002         | 10.002         | 2               | 0                   | false
        2         | 10.002        | 20             | 2               | 1                   | true
        2         | 20            |                | 1               | 1                   | true
        """,
    )
    columns = tuple(name for name in COLUMNS if name != "imbalance_ratio")
    same_rows(story["leader_imbalance"], expected, *columns)
    ratios = {row.imbalance_ratio for row in story["leader_imbalance"].collect()}
    assert ratios == {0.0, 0.5, 1.0}


@pytest.mark.spark
def test_a_ratio_equal_to_the_limit_is_no_breach(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    limit = spark.createDataFrame(
        [("c", None, 0.1), ("c", 2, 0.5)], "cluster_id string, broker_id int, threshold_ratio double"
    )
    found = leader_imbalance.build(story["partition_timeline"], story["term"], limit)
    by_ratio = {row.imbalance_ratio: row.is_breach for row in found.where("broker_id = 2").collect()}
    assert by_ratio == {0.0: False, 0.5: False, 1.0: True}
