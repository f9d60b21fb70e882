"""Ratios of brokers: one interval a controller event, topics queued for deletion left out, strictly over the limit."""

from datetime import UTC, datetime

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.gold import leader_imbalance
from pipeline.kafka.succession import unseen_from
from schemas.gold.leader_imbalance import SPEC
from schemas.silver import broker_setting, term
from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER
from tests.tables import same_rows, table

BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
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


def none(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([], SPEC.struct)


@pytest.mark.spark
def test_a_ratio_equal_to_the_limit_is_no_breach(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    limit = told(spark, ("c", None, 0.1, "conf"), ("c", 2, 0.5, "server.properties"))
    found = leader_imbalance.build(
        story["partition_timeline"], story["term"], limit, story["broker_setting"], none(spark), None
    )
    by_ratio = {row.imbalance_ratio: row.is_breach for row in found.where("broker_id = 2").collect()}
    assert by_ratio == {0.0: False, 0.5: False, 1.0: True}


@pytest.mark.spark
def test_a_partition_with_no_replicas_is_no_brokers(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    """As Kafka prints `List()`: no preferred leader, and no error."""
    nobody = story["partition_timeline"].withColumn("replicas", F.array().cast("array<int>"))
    limit = told(spark, ("c", None, 0.1, "conf"))
    found = leader_imbalance.build(nobody, story["term"], limit, story["broker_setting"], none(spark), None)
    assert found.count() == 0


PRINTED = f"""
    cluster_id | node_id | logged_at | file_id | byte_offset | name         | value
    c          | 2       | 1         | f       | 0           | {PER_BROKER} | 10
    c          | 2       | 9         | f       | 1           | {PER_BROKER} | 60
    c          | 2       | 9         | f       | 1           | {INTERVAL}   | 20
    c          | 1       | 1         | g       | 0           | {ENABLE}     | false
"""


@pytest.mark.spark
def test_the_limit_that_a_broker_printed_counts_from_then_on_where_none_is_set(
    spark: SparkSession, story: dict[str, DataFrame]
) -> None:
    """Before its first list a broker goes by that; another limit begins another interval."""
    printed = table(spark, broker_setting.SPEC, PRINTED)
    limit = told(spark, ("c", None, None, None))
    given = (story["partition_timeline"], story["term"], limit, printed, none(spark), None)
    found = leader_imbalance.build(*given).collect()
    assert {row.imbalance_ratio: row.is_breach for row in found if row.broker_id == 2} == {
        0.0: False, 0.5: False, 1.0: True,
    }  # fmt: skip
    columns = ("threshold_ratio", "limit_source", "check_interval_seconds", "is_auto_rebalance_enabled")
    assert {(row.broker_id, *(row[name] for name in columns)) for row in found} == {
        (1, 0.1, "default", 300, False),
        (2, 0.1, "server.log", 20, True),
        (2, 0.6, "server.log", 20, True),
    }
    limits = {(row.valid_from_at.second, row.threshold_ratio) for row in found if row.broker_id == 2}
    assert limits == {(2, 0.1), (9, 0.6), (10, 0.6), (20, 0.6)}


# From when on a term may be missing: a: never; b: after the last line of the one before; c: the first ones are;
# d: no line elects it; e: the cluster was wiped; f: and the first epochs of that life are missing.
TERMS = """
    cluster_id | life | controller_epoch | elected_at | first_seen_at | last_seen_at | mode
    a          | 1    | 1                | 1          | 1             | 20           | zookeeper
    a          | 1    | 2                | 10         | 10            | 40           | zookeeper
    b          | 1    | 1                | 1          | 1             | 20           | zookeeper
    b          | 1    | 3                | 50         | 50            | 60           | zookeeper
    b          | 1    | 5                | 70         | 70            | 70           | zookeeper
    c          | 1    | 4                | 10         | 10            | 20           | zookeeper
    d          | 1    | 1                | 1          | 1             | 90           | zookeeper
    d          | 1    | 2                |            | 40            | 90           | zookeeper
    e          | 1    | 1                | 1          | 1             | 20           | zookeeper
    e          | 2    | 1                | 50         | 50            | 90           | zookeeper
    f          | 1    | 1                | 1          | 1             | 20           | zookeeper
    f          | 2    | 2                | 50         | 50            | 90           | zookeeper
    g          | 1    | 7                | 50         | 50            | 90           | kraft
"""


@pytest.mark.spark
def test_from_when_on_a_term_may_be_missing(spark: SparkSession) -> None:
    found = unseen_from(table(spark, term.SPEC, TERMS)).collect()
    seconds = {row.cluster_id: row.unseen_at and row.unseen_at.second for row in found}
    assert seconds == {"a": None, "b": 20, "c": 10, "d": 40, "e": None, "f": 20}


@pytest.mark.spark
def test_ratios_are_undetermined_from_then_on(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    """An interval that was known until then is two rows."""
    last_seen_at = F.timestamp_millis(F.unix_millis(F.lit(BEGIN)) + 15_000)
    unelected = (
        story["term"]
        .withColumn("elected_at", F.when(F.col("controller_epoch") == 1, F.col("elected_at")))
        .withColumn("last_seen_at", last_seen_at)
    )
    given = (
        story["partition_timeline"],
        unelected,
        told(spark, ("c", None, None, None)),
        story["broker_setting"],
    )
    found = leader_imbalance.build(*given, none(spark), None).where("broker_id = 2").collect()
    assert sorted(
        (row.valid_from_at.second, row.led_elsewhere_count, row.reason, row.certainty) for row in found
    ) == [
        (2, 0, None, "inferred"),
        (10, 1, None, "inferred"),
        (15, 1, "term_unseen", "undetermined"),
        (20, 1, "term_unseen", "undetermined"),
    ]


@pytest.mark.spark
def test_in_kraft_no_limit_is_read(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    printed = table(spark, broker_setting.SPEC, PRINTED)
    terms = story["term"].withColumn("mode", F.lit("kraft"))
    limit = told(spark, ("c", None, 0.1, "conf"))
    given = (story["partition_timeline"], terms, limit, printed, none(spark), None)
    found = leader_imbalance.build(*given).collect()
    assert {(row.threshold_ratio, row.limit_source, row.is_breach) for row in found} == {(None, None, None)}
    assert {(row.broker_id, row.check_interval_seconds) for row in found} == {(1, 300), (2, 20)}
