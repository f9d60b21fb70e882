"""Findings about what a controller began and could not finish."""

from typing import Any

from tests.chain import found_by
from tests.frames import at
from tests.rows import records_in
from tests.rules.rows import fact_texts

# As 1.0 prints it: the line names no controller. Being deposed is no failure.
CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=2] 2 successfully elected as the controller (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,001] INFO [Controller id=2] Incremented epoch to 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] ERROR [controller-event-thread]: Error processing event BrokerChange(Buffer(1, 2)) (kafka.controller.ControllerEventManager$ControllerEventThread)
    java.util.NoSuchElementException: key not found: t-2
    \tat scala.collection.MapLike$class.default(MapLike.scala:228)
    [2026-11-21 00:00:20,000] ERROR [controller-event-thread]: Error processing event BrokerChange(Buffer(1, 2, 3)) (kafka.controller.ControllerEventManager$ControllerEventThread)
    java.util.NoSuchElementException: key not found: t-1
    [2026-11-21 00:00:30,000] ERROR [controller-event-thread]: Error processing event TopicChange(Set(a)) (kafka.controller.ControllerEventManager$ControllerEventThread)
    kafka.common.ControllerMovedException: Broker 2 received update metadata request
"""
OLD = """
    [2026-11-21 00:00:05,000] ERROR [BrokerChangeListener on Controller 1]: Error while handling broker changes (kafka.controller.ReplicaStateMachine$BrokerChangeListener)
    java.lang.ClassCastException: java.lang.String cannot be cast to java.lang.Integer
"""


def told(controller: str, node_id: int) -> list[dict[str, Any]]:
    return found_by(records_in({(node_id, "controller"): controller}), "event_failed").to_dicts()


def test_an_event_that_ends_in_an_exception_is_told_once_a_term_kind_and_exception() -> None:
    (one,) = told(CONTROLLER, 2)
    assert one["sentence"] == (
        "controller 2 failed while it handled BrokerChange (NoSuchElementException: key not found: t-2), about "
        "brokers that had come or gone: they got no orders; 2 times"
    )
    assert (one["severity"], one["term_id"], len(one["evidence"])) == ("warning", "1-1", 2)
    assert (one["valid_from_at"], one["valid_until_at"]) == (at(10), at(20))
    assert fact_texts(one["facts"]) == {
        "controller_id": "2", "event": "BrokerChange", "exception_class": "java.util.NoSuchElementException",
        "failures_count": "2",
    }  # fmt: skip


def test_up_to_0_10_the_listener_says_which_event() -> None:
    """Of a term that is not seen."""
    (one,) = told(OLD, 1)
    assert (fact_texts(one["facts"])["event"], fact_texts(one["facts"])["controller_id"], one["term_id"]) == (
        "BrokerChange",
        "1",
        None,
    )


# A batch of moves breaks off, and the event goes on; then it is deposed, as 2.1 prints it.
MOVES = """
    [2026-11-21 00:00:01,000] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] ERROR [PartitionStateMachine controllerId=2] Error while moving some partitions to OnlinePartition state (kafka.controller.PartitionStateMachine)
    java.io.IOException: no space left
    [2026-11-21 00:00:11,000] ERROR [ReplicaStateMachine controllerId=2] Error while moving some replicas to OnlineReplica state (kafka.controller.ReplicaStateMachine)
    java.io.IOException: no space left
    [2026-11-21 00:00:12,000] ERROR [PartitionStateMachine controllerId=2] Error while moving some partitions to OnlinePartition state (kafka.controller.PartitionStateMachine)
    kafka.common.StateChangeFailedException: Controller 2 epoch 1 initiated state change for partition [t,0] from OfflinePartition to OnlinePartition failed because the partition state machine has not started
    [2026-11-21 00:00:13,000] ERROR [ReplicaStateMachine controllerId=2] Error while moving some replicas to OnlineReplica state (kafka.controller.ReplicaStateMachine)
    org.apache.zookeeper.KeeperException$SessionExpiredException: KeeperErrorCode = Session expired
    [2026-11-21 00:00:20,000] INFO [Controller id=2] Resigning (kafka.controller.KafkaController)
    [2026-11-21 00:00:20,001] ERROR [ControllerEventThread controllerId=2] Error processing event TopicDeletion(Set(t)) (kafka.controller.ControllerEventManager$ControllerEventThread)
    java.io.IOException: no space left
    [2026-11-21 00:00:20,010] INFO [Controller id=2] Resigned (kafka.controller.KafkaController)
"""


def test_a_batch_of_moves_that_breaks_off_is_told_and_what_being_deposed_brings_is_not() -> None:
    found = told(MOVES, 2)
    assert sorted(one["sentence"] for one in found) == [
        "controller 2 failed while it handled moves of partitions (IOException: no space left), about leaders: "
        "partitions may be without one",
        "controller 2 failed while it handled moves of replicas (IOException: no space left), about replicas: brokers "
        "may have got no orders for some",
    ]
    assert {(one["term_id"], fact_texts(one["facts"])["failures_count"]) for one in found} == {("1-1", "1")}


def test_a_wish_of_a_leader_that_fails_is_told() -> None:
    line = (
        "[2026-11-21 00:00:05,000] ERROR [Controller id=1] Error when processing AlterPartition: "
        "AlterPartitionRequestData(brokerId=2, brokerEpoch=7, topics=[]) (kafka.controller.KafkaController)\n"
        "java.lang.NullPointerException: null"
    )
    (one,) = told(line, 1)
    assert (fact_texts(one["facts"])["event"], fact_texts(one["facts"])["controller_id"]) == (
        "AlterPartition",
        "1",
    )
