"""Stays of brokers: how each came into the lists of live brokers, and how it left them."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from schemas.gold.broker_session import SPEC
from tests.tables import built_in_turn, log_records, same_rows, table

COLUMNS = ("broker_id", "joined_at", "joined_how", "left_at", "left_how", "left_term_id", "certainty")


@pytest.mark.spark
def test_stays_of_a_story(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    """Of broker 2 the first that is heard is that it left; the next controller does not find broker 1."""
    expected = table(
        spark,
        SPEC,
        """
        broker_id | joined_at | joined_how  | left_at | left_how           | left_term_id | certainty
        1         | 10        | listed      | 29.010  | missing_at_startup | 1-2          | inferred
        2         | 10        | before_data | 10      | uncontrolled       | 1-1          | proved
        3         | 10        | listed      |         |                    |              | proved
        """,
    )
    same_rows(story["broker_session"], expected, *COLUMNS)


CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,010] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 2, 3, 4) (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1,3,4 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,001] INFO [Controller id=1] Broker failure callback for 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,002] INFO [Controller id=1] Removed 2 from list of shutting down brokers. (kafka.controller.KafkaController)
    [2026-11-21 00:00:20,000] INFO [Controller id=1] Newly added brokers: 2, deleted brokers: , bounced brokers: 3, all live brokers: 1,2,3 (kafka.controller.KafkaController)
"""


@pytest.mark.spark
def test_how_brokers_leave(spark: SparkSession) -> None:
    """Controlled where the controller takes it off the shutting ones; a list that misses broker 4 unsaid proves nothing."""
    expected = table(
        spark,
        SPEC,
        """
        broker_id | joined_at | joined_how        | left_at | left_how        | left_term_id | certainty
        1         | 1.010     | listed_at_startup |         |                 |              | proved
        2         | 1.010     | listed_at_startup | 10      | controlled      | 1-1          | proved
        2         | 20        | joined            |         |                 |              | proved
        3         | 1.010     | listed_at_startup | 20      | bounced         | 1-1          | proved
        3         | 20        | bounced           |         |                 |              | proved
        4         | 1.010     | listed_at_startup | 20      | missing_in_list | 1-1          | undetermined
        """,
    )
    records = log_records(spark, {(1, "controller"): CONTROLLER})
    same_rows(built_in_turn(spark, records, "broker_session")["broker_session"], expected, *COLUMNS)
