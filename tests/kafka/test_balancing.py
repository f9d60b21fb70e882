"""What a broker goes by: conf, a file, its own list of settings, Kafka's default, one setting after the other."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from pipeline.kafka.balancing import DEFAULTS, with_balancing
from schemas.silver import broker_setting
from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER
from tests.tables import table

PRINTED = f"""
    cluster_id | node_id | logged_at | file_id | byte_offset | name         | value
    c          | 1       | 10        | f       | 0           | {PER_BROKER} | 20
    c          | 1       | 10        | f       | 0           | {INTERVAL}   | 30
    c          | 1       | 10        | f       | 0           | {ENABLE}     | FALSE
    c          | 1       | 20        | f       | 9           | {PER_BROKER} | 40
    c          | 2       | 10        | g       | 0           | {PER_BROKER} | ten
    c          | 3       | 10        | h       | 0           | {PER_BROKER} | 50
    c          |         | 10        | i       | 0           | {PER_BROKER} | 60
    other      | 4       | 10        | j       | 0           | {PER_BROKER} | 70
"""
TOLD = (
    "cluster_id string, broker_id int, threshold_ratio double, check_interval_seconds long, "
    "is_auto_rebalance_enabled boolean, source string"
)


def held(
    spark: SparkSession, *told: tuple[Any, ...], at: str | None = None, when: int = 15
) -> dict[int, Any]:
    """By broker (threshold, interval, enabled, source) at a second, or at the end."""
    printed = table(spark, broker_setting.SPEC, PRINTED)
    rows = spark.range(1, 5).selectExpr(
        "'c' AS cluster_id",
        "CAST(id AS int) AS controller_id",
        f"TIMESTAMP '2026-11-21 00:00:00 UTC' + INTERVAL {when} SECONDS AS checked_at",
    )
    settings: DataFrame = spark.createDataFrame(list(told), TOLD)
    found = with_balancing(rows, "controller_id", settings, printed, at).collect()
    return {row.controller_id: tuple(row[name] for name in (*DEFAULTS, "limit_source")) for row in found}


NOTHING = ("c", None, None, None, None, None)


@pytest.mark.spark
def test_what_is_said_nowhere_else_is_printed_or_kafkas_default(spark: SparkSession) -> None:
    assert held(spark, NOTHING) == {
        1: (0.4, 30, False, "server.log"),
        2: (0.1, 300, True, "default"),
        3: (0.5, 300, True, "server.log"),
        4: (0.1, 300, True, "default"),
    }


@pytest.mark.spark
def test_each_setting_counts_by_itself(spark: SparkSession) -> None:
    cluster = ("c", None, None, 60, None, None)
    assert held(spark, cluster, ("c", 1, 0.05, 60, True, "conf"), ("c", 3, None, 60, False, None)) == {
        1: (0.05, 60, True, "conf"),
        2: (0.1, 60, True, "default"),
        3: (0.5, 60, False, "server.log"),
        4: (0.1, 60, True, "default"),
    }
    of_file = held(spark, ("c", None, 0.0, None, None, "server.properties"))
    assert {said[0] for said in of_file.values()} == {0.0}
    assert {said[3] for said in of_file.values()} == {"server.properties"}
    assert of_file[1][1:3] == (30, False)


@pytest.mark.spark
@pytest.mark.parametrize(("when", "ratio"), [(5, 0.2), (10, 0.2), (15, 0.2), (19, 0.2), (20, 0.4), (99, 0.4)])
def test_the_list_that_held_then(spark: SparkSession, when: int, ratio: float) -> None:
    assert held(spark, NOTHING, at="checked_at", when=when)[1][0] == ratio
