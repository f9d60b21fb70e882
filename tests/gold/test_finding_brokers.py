"""Findings about brokers: who comes and goes too often, and who was gone before its shutdown was done."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.gold.finding.brokers import broker_flapping, unclean_shutdown
from schemas.gold import broker_session
from tests.tables import table

# In broker_epoch: so many seconds before it left it asked to be shut down.
# 1 left three times within the hour each, once more later, and is away; 2 was shut down each time; 3 twice only.
STAYS = """
    cluster_id | broker_id | joined_at | left_at | left_how     | is_clean | led_before_count | unmoved_count | broker_epoch | certainty
    c          | 1         | 0         | 100     | uncontrolled | false    |                  | 4             |              | proved
    c          | 1         | 110       | 1000    | uncontrolled | false    |                  | 4             |              | proved
    c          | 1         | 1010      | 1017.5  | bounced      |          |                  | 0             |              | proved
    c          | 1         | 1018      | 8000    | uncontrolled | false    |                  | 4             |              | proved
    c          | 2         | 0         | 100     | controlled   | true     | 7                | 0             | 10           | proved
    c          | 2         | 110       | 1000    | controlled   | true     | 7                | 0             | 10           | proved
    c          | 2         | 1010      | 2000    | controlled   | true     | 7                | 0             | 10           | proved
    c          | 3         | 0         | 3000    | uncontrolled | false    | 7                | 0             | 10           | proved
    c          | 3         | 3100      | 4000    | controlled   | false    | 7                | 2             | 9            | proved
    c          | 3         | 4100      |         |              |          |                  |               |              | proved
"""


@pytest.mark.spark
def test_brokers_that_do_not_stay(spark: SparkSession) -> None:
    seconds = F.unix_seconds("left_at") - F.unix_seconds(F.lit("2026-11-21").cast("timestamp"))
    asked_at = F.timestamp_seconds(F.unix_seconds("left_at") - F.col("broker_epoch"))
    line = F.struct(F.lit("f").alias("file_id"), seconds.alias("byte_offset"))
    asked = F.when(F.col("broker_epoch").isNotNull(), F.array(asked_at))
    stays = table(spark, broker_session.SPEC, STAYS).withColumns(
        {
            "evidence": F.array(line),
            "shutdown_requested_at": F.coalesce(asked, F.array().cast("array<timestamp>")),
        }
    )
    limit = spark.sql(
        "SELECT 'c' AS cluster_id, TIMESTAMP '2026-11-21 03:00:00' AS until_at, 3 AS flapping_departures, "
        "60 AS flapping_minutes"
    )
    found = broker_flapping(stays, limit).unionByName(unclean_shutdown(stays)).collect()
    assert {(row.rule, row.entity): row.sentence for row in found} == {
        ("broker_flapping", "broker 1"): (
            "broker 1 left 3 times without having been shut down, there for 7.5 s at the shortest"
        ),
        ("unclean_shutdown", "broker 3"): (
            "broker 3 asked to be shut down and left 2 of 7 partition(s) without a leader that have other replicas, "
            "9.0 s later"
        ),
    }
    flapping = next(row for row in found if row.rule == "broker_flapping")
    assert [line.byte_offset for line in flapping.evidence] == [100, 1000, 1017]
    assert flapping.valid_until_at is not None
    still = broker_flapping(stays, limit.withColumn("until_at", F.expr("TIMESTAMP '2026-11-21 00:20:00'")))
    assert [row.valid_until_at for row in still.collect()] == [None]
