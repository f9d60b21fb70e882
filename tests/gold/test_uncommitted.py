"""What a KRaft controller decided last and gave up, as the quorum had left it, is not told as done."""

from typing import Any

import pytest

from tests.chain import built, built_of_each
from tests.frames import at
from tests.tables import log_table

ID = "_rl543QdQBSYOYFnh1JmVg"
CONTROLLER = "(org.apache.kafka.controller.QuorumController)"
REPLICATION = "(org.apache.kafka.controller.ReplicationControlManager)"
CLUSTER = "(org.apache.kafka.controller.ClusterControlManager)"
NOT_LEADER = "event failed with NotLeaderException (treated as NotControllerException) at epoch 2"
FENCED = (
    "BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=7, fenced=1, inControlledShutdown=0, logDirs=[])"
)


def says(node: int, second: float, text: str) -> str:
    return f"[2026-11-21 00:00:{second:06.3f}] INFO [QuorumController id={node}] {text}\n".replace(
        ".", ",", 1
    )


def active(node: int, second: float, epoch: int) -> str:
    return says(
        node, second, f"Becoming the active controller at epoch {epoch}, next write offset 1. {CONTROLLER}"
    )


FENCES = says(
    11, 20.0, f"Fencing broker 1 at epoch 7 because its session has timed out. {REPLICATION}"
) + says(11, 20.002, f"handleBrokerFenced: changing 1 partition(s) {REPLICATION}")
CREATES = "".join(
    says(11, 20.001, f"{text} {REPLICATION}")
    for text in (
        "CreateTopics result(s): CreatableTopic(name='late', numPartitions=1, replicationFactor=1, assignments=[], "
        "configs=[]): SUCCESS",
        "Replayed TopicRecord for topic late with topic ID fVqXJamJRoy3fF16FGkKrw.",
        "Replayed PartitionRecord for new partition late-0 with topic ID fVqXJamJRoy3fF16FGkKrw and "
        "PartitionRegistration(replicas=[1], directories=[odDa6mTqZIak73ZOnq0niw], isr=[1], removingReplicas=[], "
        "addingReplicas=[], elr=[], lastKnownElr=[], leader=1, leaderRecoveryState=RECOVERED, leaderEpoch=0, "
        "partitionEpoch=0).",
    )
)
# In the event itself, and of one that waits for its records.
FAILS = says(
    11, 20.02, f"maybeFenceStaleBroker: {NOT_LEADER} in 20000 microseconds. Renouncing leadership and reverting to the "
    f"last committed offset 581. Exception message: Flush failed because the replica is not the current leader {CONTROLLER}",
)  # fmt: skip
WAITED = (
    says(11, 20.5, f"writeNoOpRecord: {NOT_LEADER} in 192 microseconds. Renouncing leadership and reverting to the last "
    f"committed offset 581. Exception message: Append failed because the replica is not the current leader {CONTROLLER}")
    + says(11, 20.501, "createTopics: event failed with NotControllerException in 501000 microseconds. Exception "
    f"message: No controller appears to be active. {CONTROLLER}")
)  # fmt: skip
RENOUNCES = says(
    11, 20.5, "Renouncing the leadership due to a metadata log event. We were the leader at epoch 2, but in the new epoch "
    f"3, the leader is (none). Reverting to last stable offset 676. {CONTROLLER}",
)  # fmt: skip
REPLAYS = says(
    12,
    21.1,
    f"Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: {FENCED} {CLUSTER}",
)
LED = (
    f"[2026-11-21 00:00:10,000] INFO [Broker id=1] Leader orders-0 with topic id Some({ID}) starts at leader epoch 1 from "
    "offset 28 with partition epoch 1, high watermark 28, ISR [1], adding replicas [] and removing replicas [] . Previous "
    "leader Some(3) and previous leader epoch was 0. (state.change.logger)"
)
LATER = "".join(
    says(node, 50.0, f"Periodic task electPreferred generated 0 records in 22 microseconds. {CONTROLLER}")
    for node in (12,)
)


def tables(own: str, following: str, *names: str) -> dict[str, Any]:
    return built(log_table(logs_of(own, following)), *names)


def logs_of(own: str, following: str) -> dict[tuple[int, str], str]:
    return {
        (11, "controller"): active(11, 1.0, 2) + own,
        (12, "controller"): following + LATER,
        (1, "state-change"): LED,
    }


NEXT = active(12, 21.0, 3)


# What is said of a fence, and whether it was committed.
OF_FENCES = (
    (FENCES + RENOUNCES, NEXT, True),  # all was committed: nothing failed then
    (FENCES + FAILS, NEXT, False),
    (FENCES + FAILS + active(11, 21.0, 3), "", False),
    (FENCES + FAILS, "", False),
    (FENCES + WAITED, NEXT, False),
    (FENCES + WAITED + active(11, 21.0, 3), "", True),  # it has its own records and commits them
    (FENCES + WAITED, "", True),  # whoever is next may have them
    (FENCES + WAITED, NEXT + REPLAYS, True),
)


def test_a_broker_is_fenced_once_that_is_committed() -> None:
    logs = {f"{number}": logs_of(own, following) for number, (own, following, _) in enumerate(OF_FENCES)}
    tables = built_of_each(logs, "broker_absence", "partition_outage")
    counts = {
        name: (of["broker_absence"].height, of["partition_outage"].height) for name, of in tables.items()
    }
    assert counts == {
        f"{number}": (int(is_decided), int(is_decided)) for number, (*_, is_decided) in enumerate(OF_FENCES)
    }


@pytest.mark.parametrize(("own", "count"), [(CREATES + RENOUNCES, 1), (CREATES + WAITED, 0)])
def test_a_topic_whose_records_were_given_up_has_no_life(own: str, count: int) -> None:
    """Its client was told that no controller is active."""
    found = tables(own, NEXT, "topic_lifecycle", "partition_timeline", "leader_election")
    for name in ("topic_lifecycle", "partition_timeline"):
        assert found[name].filter(topic="late").height == count, name
    assert found["leader_election"].filter(topic="late").height <= count


def test_from_when_on_it_is_void() -> None:
    """The begin of the event, to the millisecond."""
    rows = tables(FENCES + WAITED, NEXT, "term", "controller_step")
    began = rows["controller_step"].filter(event="controller_event_failed")["began_at"].to_list()
    assert began == [at(20.499), at(20.0)]
    assert rows["term"].select("term_id", "void_from_at").sort("term_id").rows() == [
        ("1-2", at(20.0)),
        ("1-3", None),
    ]
