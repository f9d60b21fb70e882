"""Ratios of brokers: one interval a controller event, topics queued for deletion left out, strictly over the limit."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.gold import leader_imbalance
from schemas.gold.leader_imbalance import SPEC
from schemas.silver import broker_setting
from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER
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


def told(spark: SparkSession, *rows: tuple[str, int | None, float | None, str | None]) -> DataFrame:
    """What settings say of thresholds, and nothing of the rest."""
    return spark.createDataFrame(
        [(cluster, broker, ratio, None, None, source) for cluster, broker, ratio, source in rows],
        "cluster_id string, broker_id int, threshold_ratio double, check_interval_seconds long, "
        "is_auto_rebalance_enabled boolean, source string",
    )


@pytest.mark.spark
def test_a_ratio_equal_to_the_limit_is_no_breach(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    limit = told(spark, ("c", None, 0.1, "conf"), ("c", 2, 0.5, "server.properties"))
    found = leader_imbalance.build(story["partition_timeline"], story["term"], limit, story["broker_setting"])
    by_ratio = {row.imbalance_ratio: row.is_breach for row in found.where("broker_id = 2").collect()}
    assert by_ratio == {0.0: False, 0.5: False, 1.0: True}


PRINTED = f"""
    cluster_id | node_id | logged_at | file_id | byte_offset | name         | value
    c          | 2       | 1         | f       | 0           | {PER_BROKER} | 10
    c          | 2       | 9         | f       | 1           | {PER_BROKER} | 60
    c          | 2       | 9         | f       | 1           | {INTERVAL}   | 20
    c          | 1       | 1         | g       | 0           | {ENABLE}     | false
"""


@pytest.mark.spark
def test_the_limit_that_a_broker_printed_counts_where_none_is_set(
    spark: SparkSession, story: dict[str, DataFrame]
) -> None:
    printed = table(spark, broker_setting.SPEC, PRINTED)
    limit = told(spark, ("c", None, None, None))
    found = leader_imbalance.build(story["partition_timeline"], story["term"], limit, printed).collect()
    assert {row.imbalance_ratio: row.is_breach for row in found if row.broker_id == 2} == {
        0.0: False, 0.5: False, 1.0: True,
    }  # fmt: skip
    columns = ("threshold_ratio", "limit_source", "check_interval_seconds", "is_auto_rebalance_enabled")
    assert {(row.broker_id, *(row[name] for name in columns)) for row in found} == {
        (1, 0.1, "default", 300, False),
        (2, 0.6, "server.log", 20, True),
    }


@pytest.mark.spark
def test_in_kraft_no_limit_is_read(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    printed = table(spark, broker_setting.SPEC, PRINTED)
    terms = story["term"].withColumn("mode", F.lit("kraft"))
    limit = told(spark, ("c", None, 0.1, "conf"))
    found = leader_imbalance.build(story["partition_timeline"], terms, limit, printed).collect()
    assert {(row.threshold_ratio, row.limit_source, row.is_breach) for row in found} == {(None, None, None)}
    assert {(row.broker_id, row.check_interval_seconds) for row in found} == {(1, 300), (2, 20)}
