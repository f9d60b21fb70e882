"""Which epoch a broker had while it stayed."""

import pytest
from pyspark.sql import SparkSession

from pipeline.kafka.departures import with_epochs
from schemas.gold import broker_session
from schemas.silver import broker_event
from tests.tables import same_rows, table

STAYS = """
    cluster_id | broker_id | joined_at | joined_how        | left_at
    c          | 1         | 10        | joined            | 20
    c          | 1         | 20        | bounced           | 30
    c          | 1         | 100       | listed_at_startup | 110
    c          | 1         | 110       | joined            |
    c          | 2         | 10        | joined            | 20
"""
LISTED = """
    cluster_id | broker_id | step  | logged_at | broker_epoch
    c          | 1         | epoch | 9.9       | 4
    c          | 1         | epoch | 10.1      | 7
    c          | 1         | epoch | 15        | 7
    c          | 1         | epoch | 20.1      | 9
    c          | 1         | epoch | 99.9      | 7
    c          | 1         | epoch | 110.1     | 9
    c          | 2         | epoch | 25        | 8
"""
BEFORE = """
    cluster_id | broker_id | joined_at | broker_epoch
    c          | 1         | 10        | 7
"""
EXPECTED = """
    broker_id | joined_at | broker_epoch
    1         | 10        | 7
    1         | 20        | 9
    1         | 100       | 7
    1         | 110       | 9
    2         | 10        |
"""


@pytest.mark.spark
@pytest.mark.parametrize("before", ["", BEFORE])
def test_an_epoch_is_the_first_that_is_listed_in_the_stay(spark: SparkSession, before: str) -> None:
    """From 100 on metadata were wiped and count anew; what is known of the stay before a cut is its first listing."""
    head = BEFORE.strip().splitlines()[0]
    found = with_epochs(
        table(spark, broker_session.SPEC, STAYS).drop("broker_epoch"),
        table(spark, broker_event.SPEC, LISTED),
        table(spark, broker_session.SPEC, before or head),
    )
    expected = table(spark, broker_session.SPEC, EXPECTED)
    same_rows(found, expected, "broker_id", "joined_at", "broker_epoch")
