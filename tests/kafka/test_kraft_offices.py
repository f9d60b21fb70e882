"""What is known of KRaft brokers while controllers whose lines are missing are in office."""

import pytest
from pyspark.sql import SparkSession

from pipeline.kafka.kraft_offices import kraft_offices, until_unseen
from schemas.silver import broker_absence, term
from tests.tables import same_rows, table

pytestmark = pytest.mark.spark

TERMS = """
    cluster_id | term_id | life | controller_epoch | controller_id | mode  | elected_at | first_seen_at
    c          | 1-1     | 1    | 1                | 101           | kraft | 1          | 1
    c          | 1-2     | 1    | 2                | 102           | kraft |            | 10
    c          | 1-3     | 1    | 3                | 101           | kraft | 20         | 20
    whole      | 1-1     | 1    | 1                | 101           | kraft | 1          | 1
"""
ABSENCES = """
    cluster_id | broker_id | out_at | back_at
    c          | 1         | 2      | 3
    c          | 1         | 4      | 15
    c          | 2         | 5      |
    c          | 3         | 21     |
    whole      | 1         | 5      |
"""
KNOWN = """
    cluster_id | broker_id | out_at | back_at
    c          | 1         | 2      | 3
    c          | 1         | 4      | 10
    c          | 2         | 5      | 10
    c          | 3         | 21     |
    whole      | 1         | 5      |
"""


def test_who_unfenced_a_broker_may_have_left_no_line(spark: SparkSession) -> None:
    offices = kraft_offices(table(spark, term.SPEC, TERMS))
    found = until_unseen(table(spark, broker_absence.SPEC, ABSENCES), offices)
    expected = table(spark, broker_absence.SPEC, KNOWN)
    same_rows(found, expected, "cluster_id", "broker_id", "out_at", "back_at")
