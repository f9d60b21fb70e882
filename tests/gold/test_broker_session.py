"""Sessions of brokers: how each came into the lists of live brokers, and how it left them."""

import pytest
from polars import col

from schemas.gold.broker_session import SPEC
from tests.chain import built, with_table
from tests.frames import at, frame
from tests.gold.broker_stays import COLUMNS, from_then, open_at
from tests.gold.conftest import LOGS
from tests.rows import records_in, same_rows


def test_sessions_of_a_story() -> None:
    """Of broker 2 the first that is heard is that it left; the next controller does not find broker 1."""
    expected = frame(
        SPEC,
        """
        broker_id | joined_at | joined_how  | left_at | left_how           | left_term_id | certainty
        1         | 10        | listed      | 29.010  | missing_at_startup | 1-2          | inferred
        2         | 10        | before_data | 10      | uncontrolled       | 1-1          | proved
        3         | 10        | listed      |         |                    |              | proved
        """,
    )
    same_rows(built(records_in(LOGS), "broker_session")["broker_session"], expected, *COLUMNS)


CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,010] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 2, 3, 4) (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1,3,4 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,001] INFO [Controller id=1] Broker failure callback for 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,002] INFO [Controller id=1] Removed 2 from list of shutting down brokers. (kafka.controller.KafkaController)
    [2026-11-21 00:00:20,000] INFO [Controller id=1] Newly added brokers: 2, deleted brokers: , bounced brokers: 3, all live brokers: 1,2,3 (kafka.controller.KafkaController)
"""


def test_how_brokers_leave() -> None:
    """Controlled where the controller takes it off the shutting ones; a list that misses broker 4 unsaid proves nothing,
    nor that others were there all the time: lines are missing before it."""
    expected = frame(
        SPEC,
        """
        broker_id | joined_at | joined_how        | left_at | left_how        | left_term_id | certainty
        1         | 1.010     | listed_at_startup |         |                 |              | undetermined
        2         | 1.010     | listed_at_startup | 10      | controlled      | 1-1          | proved
        2         | 20        | joined            |         |                 |              | proved
        3         | 1.010     | listed_at_startup | 20      | bounced         | 1-1          | undetermined
        3         | 20        | bounced           |         |                 |              | proved
        4         | 1.010     | listed_at_startup | 20      | missing_in_list | 1-1          | undetermined
        """,
    )
    records = records_in({(1, "controller"): CONTROLLER})
    same_rows(built(records, "broker_session")["broker_session"], expected, *COLUMNS)


KRAFT = """
    [2026-11-21 00:00:01,000] INFO [QuorumController id=101] Becoming the active controller at epoch 1, next write offset 1. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:02,000] INFO [QuorumController id=101] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 5. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:02,003] INFO [QuorumController id=101] Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=3, fenced=-1, inControlledShutdown=0, logDirs=[]) (org.apache.kafka.controller.ClusterControlManager)
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


def test_sessions_in_kraft() -> None:
    """A broker that is fenced again has left once; one that asked and was not let go has not left cleanly. Of
    led_count: how often it asked. The record says the epoch, not the line that unfences."""
    expected = frame(
        SPEC,
        """
        broker_id | mode  | broker_epoch | joined_at | joined_how  | left_at | left_how     | is_clean | led_count | certainty
        1         | kraft | 3            | 2         | joined      | 11      | controlled   | true     | 1         | proved
        2         | kraft |              | 2.100     | joined      | 20      | bounced      |          | 0         | undetermined
        2         | kraft |              | 20        | bounced     | 39      | uncontrolled | false    | 1         | proved
        3         | kraft |              | 3         | before_data | 3       | uncontrolled | false    | 0         | proved
        """,
    )
    found = built(records_in({(101, "controller"): KRAFT}), "broker_session")["broker_session"]
    asked = found.with_columns(led_count=col("shutdown_requested_at").list.len())
    same_rows(asked, expected, "mode", "broker_epoch", "is_clean", "led_count", *COLUMNS[:5], "certainty")


def test_another_that_fences_shows_a_term_that_no_line_elects() -> None:
    """Only who is in office fences: from then on it is not known what the first one still decides."""
    records = records_in({(101, "controller"): KRAFT, (102, "controller"): SUCCESSOR})
    found = built(records, "broker_session")["broker_session"].filter(col("joined_at") < at(5))
    is_over = col("left_at") >= at(5)
    assert set(found.filter(is_over)["certainty"]) == {"undetermined"}
    assert set(found.filter(~is_over)["certainty"]) == {"proved"}


SAME_MOMENT = (
    CONTROLLER
    + """
    [2026-11-21 00:00:30,000] INFO [Controller id=1] Newly added brokers: 5, deleted brokers: , bounced brokers: , all live brokers: 1,2,3,5 (kafka.controller.KafkaController)
    [2026-11-21 00:00:30,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 5, bounced brokers: , all live brokers: 1,2,3 (kafka.controller.KafkaController)
    [2026-11-21 00:00:30,000] INFO [Controller id=1] Newly added brokers: 5, deleted brokers: , bounced brokers: , all live brokers: 1,2,3,5 (kafka.controller.KafkaController)
"""
)


def test_a_broker_has_one_session_from_a_moment_on() -> None:
    """Of two that begin in one millisecond the first is over, and the broker is there."""
    found = built(records_in({(1, "controller"): SAME_MOMENT}), "broker_session")["broker_session"]
    of_it = found.filter(col("broker_id") == 5).select("joined_at", "joined_how", "left_at")
    assert of_it.rows() == [(at(30), "joined", None)]


CLUSTERS = {
    "story": LOGS,
    "zookeeper": {(1, "controller"): CONTROLLER},
    "kraft": {(101, "controller"): KRAFT, (102, "controller"): SUCCESSOR},
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_what_is_built_from_a_later_time_on_is_the_same(name: str) -> None:
    tables = built(records_in(CLUSTERS[name]), "broker_session")
    for second in (1.005, 1.5, 2.05, 5, 10, 10.5, 11.5, 15, 20, 25, 35, 50):
        later = from_then(tables, second)
        del later["broker_session"]
        found = with_table("broker_session", later)["broker_session"]
        is_new = open_at(at(second), "left_at")
        same_rows(found.filter(is_new), tables["broker_session"].filter(is_new), *SPEC.columns)


def test_lines_that_the_sessions_before_know_are_told_once() -> None:
    """Segments that reach the day may hold lines of before it."""
    tables = built(records_in(CLUSTERS["kraft"]), "broker_session")
    later = from_then(tables, 15) | {"broker_event": tables["broker_event"]}
    del later["broker_session"]
    found = with_table("broker_session", later)["broker_session"]
    is_new = open_at(at(15), "left_at")
    same_rows(found.filter(is_new), tables["broker_session"].filter(is_new), *SPEC.columns)
