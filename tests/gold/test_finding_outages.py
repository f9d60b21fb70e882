"""Outages as findings: one per event, of what lasted as long as conf says, as severe as it is."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.gold.finding.outages import outage
from schemas.gold import controller_term, partition_outage
from tests.tables import table

OUTAGES = """
    cluster_id | topic | topic_life | partition | noticed_at | ended_at | root_event          | root_broker_id | root_left_how | term_id | certainty
    c          | a     | 1          | 0         | 10.001     | 10.500   | broker failure      | 2              | uncontrolled  | 1-1     | proved
    c          | a     | 1          | 1         | 10.002     | 11.002   | broker failure      | 2              | uncontrolled  | 1-1     | inferred
    c          | b     | 1          | 0         | 10.900     | 14.900   | broker failure      | 2              | uncontrolled  | 1-1     | proved
    c          | b     | 1          | 1         | 12         | 20       | broker failure      | 2              | controlled    | 1-1     | proved
    c          | a     | 2          | 0         | 13         |          | topic creation      |                |               | 1-1     | proved
    c          | a     | 2          | 1         | 14         | 14.999   | topic creation      |                |               | 1-1     | proved
    c          | a     | 2          | 2         | 15         | 30       | unknown             | 2              |               | 1-1     | undetermined
    c          | a     | 1          | 0         | 22         | 24       | controller start-up | 5              | missing_at_startup | 1-3 | inferred
    c          | a     | 1          | 0         | 26         | 29       | controller start-up | 6              | missing_at_startup | 1-4 | inferred
    c          | a     | 1          | 0         | 29.1       | 30.2     | unknown             | 5              |               | 1-2     | inferred
    c          | a     | 1          | 0         | 29.5       | 30.5     | broker failure      | 5              | uncontrolled  | 1-3     | proved
"""
# Controller 5 was shut down, came back and died in the next term; controller 6 crashed.
TERMS = """
    cluster_id | term_id | life | controller_epoch | controller_id | ended_how
    c          | 1-2     | 1    | 2                | 5             | shutdown
    c          | 1-3     | 1    | 3                | 6             | crashed
    c          | 1-4     | 1    | 4                | 5             | open
"""


@pytest.mark.spark
def test_an_event_that_left_partitions_without_a_leader(
    spark: SparkSession, story: dict[str, DataFrame]
) -> None:
    """One finding per event, of what lasted at least as long as conf says; the data end at 31.001."""
    rows = table(spark, partition_outage.SPEC, OUTAGES).withColumn(
        "evidence", F.array(F.struct(F.lit("f").alias("file_id"), F.lit(1).cast("long").alias("byte_offset")))
    )
    terms = table(spark, controller_term.SPEC, TERMS)
    found = outage(rows, terms, story["audit_limit"]).collect()
    said = sorted((row.severity, row.entity, row.certainty, row.sentence) for row in found)
    assert said == [
        ("critical", "a-0", "proved", "topic creation left 1 partition(s) without a leader, 18.0 partition-seconds, longest 18.0 s (a-0); 1 still without"),
        ("info", "broker 2", "proved", "broker failure: broker 2 gone left 1 partition(s) without a leader, 8.0 partition-seconds, longest 8.0 s (b-1)"),
        ("info", "broker 5", "inferred", "controller start-up: broker 5 gone left 1 partition(s) without a leader, 2.0 partition-seconds, longest 2.0 s (a-0)"),
        ("info", "broker 5", "inferred", "unknown: broker 5 gone left 1 partition(s) without a leader, 1.1 partition-seconds, longest 1.1 s (a-0)"),
        ("warning", "broker 2", "inferred", "broker failure: broker 2 gone left 2 partition(s) without a leader, 5.0 partition-seconds, longest 4.0 s (b-0)"),
        ("warning", "broker 5", "proved", "broker failure: broker 5 gone left 1 partition(s) without a leader, 1.0 partition-seconds, longest 1.0 s (a-0)"),
        ("warning", "broker 6", "inferred", "controller start-up: broker 6 gone left 1 partition(s) without a leader, 3.0 partition-seconds, longest 3.0 s (a-0)"),
    ]  # fmt: skip
    ends = {row.severity: (row.valid_from_at.second, row.valid_until_at) for row in found}
    assert ends["critical"] == (13, None)
    patient = story["audit_limit"].withColumn("outage_ms", F.lit(8001))
    assert [row.severity for row in outage(rows, terms, patient).collect()] == ["critical"]
