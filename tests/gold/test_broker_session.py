"""Stays of brokers: how each came into the lists of live brokers, and how it left them."""

import pytest
from chispa import assert_df_equality
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.catalog.tables import TABLES
from pipeline.store.delta import declared
from schemas.gold.broker_session import SPEC
from tests.tables import built_in_turn, inputs_of, log_records, same_rows, table

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


KRAFT = """
    [2026-11-21 00:00:01,000] INFO [QuorumController id=101] Becoming the active controller at epoch 1, next write offset 1. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:02,000] INFO [QuorumController id=101] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 5. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:02,100] INFO [QuorumController id=101] The request from broker 2 to unfence has been granted because it has caught up with the offset of its register broker record 6. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:03,000] INFO [QuorumController id=101] Fencing broker 3 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:10,000] INFO [QuorumController id=101] Unfenced broker 1 has requested and been granted a controlled shutdown. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:11,000] INFO [QuorumController id=101] The request from broker 1 to shut down has been granted since the lowest active offset 286 is now greater than the broker's controlled shutdown offset 286. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:12,000] INFO [QuorumController id=101] Fencing broker 1 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:20,000] INFO [QuorumController id=101] The request from broker 2 to unfence has been granted because it has caught up with the offset of its register broker record 40. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:30,000] INFO [QuorumController id=101] Unfenced broker 2 has requested and been granted a controlled shutdown. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:39,000] INFO [QuorumController id=101] Fencing broker 2 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
"""
SUCCESSOR = """
    [2026-11-21 00:00:05,000] INFO [QuorumController id=102] Fencing broker 1 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
"""


@pytest.mark.spark
def test_stays_in_kraft(spark: SparkSession) -> None:
    """Who is not in office fences nobody; a broker that is fenced again has left once; one that asked and was not let
    go has not left cleanly. Of led_count: how often it asked."""
    expected = table(
        spark,
        SPEC,
        """
        broker_id | mode  | broker_epoch | joined_at | joined_how  | left_at | left_how     | is_clean | led_count | certainty
        1         | kraft | 5            | 2         | joined      | 11      | controlled   | true     | 1         | proved
        2         | kraft | 6            | 2.100     | joined      | 20      | bounced      |          | 0         | inferred
        2         | kraft | 40           | 20        | bounced     | 39      | uncontrolled | false    | 1         | proved
        3         | kraft |              | 3         | before_data | 3       | uncontrolled | false    | 0         | proved
        """,
    )
    records = log_records(spark, {(101, "controller"): KRAFT, (102, "controller"): SUCCESSOR})
    found = built_in_turn(spark, records, "broker_session")["broker_session"]
    asked = found.withColumn("led_count", F.size("shutdown_requested_at").cast("long"))
    same_rows(asked, expected, "mode", "broker_epoch", "is_clean", "led_count", *COLUMNS[:5], "certainty")


@pytest.mark.spark
@pytest.mark.parametrize("mode", ["kraft", "zookeeper"])
def test_what_knows_of_modes_is_built_for_one_alone(spark: SparkSession, mode: str) -> None:
    """A run leaves out of a plan what the other mode would add: the rows are the same."""
    lines = {"kraft": {(101, "controller"): KRAFT}, "zookeeper": {(1, "controller"): CONTROLLER}}[mode]
    tables = built_in_turn(spark, log_records(spark, lines), "leader_election", "broker_session")
    known = inputs_of(spark, log_records(spark, lines)) | tables | {"modes": frozenset({mode})}
    asking = [one for one in TABLES if one.build is not None and "modes" in one.inputs]
    assert {one.spec.table for one in asking} >= {"broker_session", "leader_election", "partition_timeline"}
    for one in asking:
        assert one.build is not None
        alone = declared(one.spec, one.build(**{name: known[name] for name in one.inputs}))
        assert_df_equality(
            alone, tables[one.spec.table], ignore_row_order=True, ignore_nullable=True, ignore_metadata=True
        )
