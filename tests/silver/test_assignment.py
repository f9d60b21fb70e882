"""Assigned replicas: every form of a collection, of one assignment, of a record; topics with dashes, dots, digits."""

from pathlib import Path

import pytest

from pipeline.silver import assignment
from schemas.silver.assignment import SPEC
from tests.corpus import Row, json_lines
from tests.frames import frame
from tests.rows import declared_rows, family_rows, records_in, same_rows

MANY = 16_000
LOGGER = "(kafka.controller.KafkaController)"
CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller 1]: New topics: [Set(user.events_v1, 0-numbers-0)], deleted topics: [Set()], new partition replica assignment [Map([user.events_v1,0] -> List(2), [0-numbers-0,1] -> List(1, 3))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] New topics: [Set(a-1)], deleted topics: [HashSet()], new partition replica assignment [Set(TopicIdReplicaAssignment(a-1,Some(qf06Y7XiRaOoJnA_nJQS-1),Map(a-1-0 -> ReplicaAssignment(replicas=3,1, addingReplicas=, removingReplicas=))))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Controller id=1] New partitions to be added HashMap(a-1-5 -> Vector(2, 1), a-1-12 -> ArrayBuffer(1)) (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [Controller id=1] New topics: [Set()], deleted topics: [Set()], new partition replica assignment [Map()] (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] INFO [Controller id=3] Handling reassignment of partition o-0 to new replicas 3,1,2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] DEBUG [Controller 1]: Updated path /brokers/topics/cart.items with {"version":1,"partitions":{"4":[1,3],"0":[2,1]}} for replica assignment (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] INFO [Controller 1]: Updated assigned replicas for partition [o,3] being reassigned to 1,3,2  (kafka.controller.KafkaController)
    [2026-11-21 00:00:08,000] DEBUG [Controller id=3] Updating assignment of partition o-2 from ReplicaAssignment(replicas=1,2, addingReplicas=, removingReplicas=) to ReplicaAssignment(replicas=1,3,2, addingReplicas=3, removingReplicas=2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller id=3] Successfully updated assignment of partition o-2 to ReplicaAssignment(replicas=1,3,2, addingReplicas=3, removingReplicas=2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] DEBUG [Controller id=3] Updating assignment of partition o-2 from ReplicaAssignment(replicas=1,3,2, addingReplicas=3, removingReplicas=2) to ReplicaAssignment(replicas=1,2, addingReplicas=, removingReplicas=) (kafka.controller.KafkaController)
    [2026-11-21 00:00:11,000] INFO [Controller id=3] Successfully updated assignment of partition o-2 to ReplicaAssignment(replicas=1,2, addingReplicas=, removingReplicas=) (kafka.controller.KafkaController)
    [2026-11-21 00:00:12,000] DEBUG [Controller id=1] Topics not in preferred replica for broker 0 HashMap(x-1 -> List(0, 1)) (kafka.controller.KafkaController)
    [2026-11-21 00:00:13,000] INFO [Controller id=1] New partitions to be added Gibberish(x) (kafka.controller.KafkaController)
    [2026-11-21 00:00:14,000] DEBUG [Controller id=3] Updating assignment of partition o-4 from ReplicaAssignment(replicas=1,2, addingReplicas=, removingReplicas=) to ReplicaAssignment(replicas=2,1, addingReplicas=, removingReplicas=) (kafka.controller.KafkaController)
"""
KRAFT = """
    [2026-11-21 00:00:21,000] INFO [QuorumController id=101] Replayed PartitionRecord for new partition l-0-0 with topic ID 7Cw1erFWQ7qgT9ljkrsvVQ and PartitionRegistration(replicas=[1, 2, 3], directories=[AAAAAAAAAAAAAAAAAAAAAA, B, C], isr=[1, 2], removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=1, leaderRecoveryState=RECOVERED, leaderEpoch=0, partitionEpoch=0). (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:22,000] INFO [QuorumController id=101] Replayed partition assignment change PartitionChangeRecord(partitionId=1, topicId=UnZBel8qRy60HqJjvUn8ug, isr=null, leader=-2, replicas=[2, 3], removingReplicas=[3], addingReplicas=[2], leaderRecoveryState=-1, directories=[j, A], eligibleLeaderReplicas=null, lastKnownElr=null) for topic rf1 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:23,000] INFO [QuorumController id=101] Replayed partition assignment change PartitionChangeRecord(partitionId=1, topicId=UnZBel8qRy60HqJjvUn8ug, isr=[2], leader=2, replicas=[2], removingReplicas=[], addingReplicas=[], leaderRecoveryState=-1, directories=[j], eligibleLeaderReplicas=null, lastKnownElr=null) for topic rf1. (isr: [3] -> [2], replicaSet: [2, 3] -> [2], partitionEpoch: 5, leaderEpoch: 2) (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:24,000] INFO [Controller 1] Created partition nB1mfzIyTBSyoPyhPAbQ7g:2 with PartitionControlInfo(replicas=[1, 2], isr=[1, 2], removingReplicas=null, addingReplicas=null, leader=1, leaderEpoch=0, partitionEpoch=0). (org.apache.kafka.controller.ReplicationControlManager)
"""
STATE_CHANGE = """
    [2026-11-21 00:00:31,000] TRACE [Controller id=1 epoch=5] Changed partition a.b-0 state from NonExistentPartition to NewPartition with assigned replicas 3,1 (state.change.logger)
    [2026-11-21 00:00:32,000] INFO [Controller id=2 epoch=6] Sent LeaderAndIsr request (Leader:2,ISR:2,1,LeaderEpoch:8,ControllerEpoch:6) with new replica assignment ReplicaAssignment(replicas=2,3,1, addingReplicas=3, removingReplicas=1) to leader 2 for partition being reassigned o-2 (state.change.logger)
"""
EXPECTED = """
    logged_at | step      | topic          | topic_id               | partition | replicas | adding_replicas | removing_replicas | previous_replicas
    1         | created   | user.events_v1 |                        | 0         | [2]      |                 |                   |
    1         | created   | 0-numbers-0    |                        | 1         | [1 3]    |                 |                   |
    2         | created   | a-1            |                        | 0         | [3 1]    | []              | []                |
    3         | added     | a-1            |                        | 5         | [2 1]    |                 |                   |
    3         | added     | a-1            |                        | 12        | [1]      |                 |                   |
    5         | target    | o              |                        | 0         | [3 1 2]  |                 |                   |
    6         | stated    | cart.items     |                        | 4         | [1 3]    |                 |                   |
    6         | stated    | cart.items     |                        | 0         | [2 1]    |                 |                   |
    7         | updated   | o              |                        | 3         | [1 3 2]  |                 |                   |
    8         | updating  | o              |                        | 2         | [1 3 2]  | [3]             | [2]               | [1 2]
    9         | updated   | o              |                        | 2         | [1 3 2]  | [3]             | [2]               |
    10        | cancelled | o              |                        | 2         | [1 2]    | []              | []                | [1 3 2]
    11        | settled   | o              |                        | 2         | [1 2]    | []              | []                |
    12        | stated    | x              |                        | 1         | [0 1]    |                 |                   |
    13        | added     |                |                        |           |          |                 |                   |
    14        | updating  | o              |                        | 4         | [2 1]    | []              | []                | [1 2]
    21        | created   | l-0            | 7Cw1erFWQ7qgT9ljkrsvVQ | 0         | [1 2 3]  | []              | []                |
    22        | updated   | rf1            | UnZBel8qRy60HqJjvUn8ug | 1         | [2 3]    | [2]             | [3]               |
    23        | settled   | rf1            | UnZBel8qRy60HqJjvUn8ug | 1         | [2]      | []              | []                | [2 3]
    24        | created   |                | nB1mfzIyTBSyoPyhPAbQ7g | 2         | [1 2]    |                 |                   |
    31        | new       | a.b            |                        | 0         | [3 1]    |                 |                   |
    32        | stated    | o              |                        | 2         | [2 3 1]  | [3]             | [1]               |
"""  # fmt: skip


def test_statements() -> None:
    logs = {(1, "controller"): CONTROLLER, (101, "controller"): KRAFT, (1, "state-change"): STATE_CHANGE}
    found = assignment.build(records_in(logs))
    same_rows(
        found, frame(SPEC, EXPECTED),
        "logged_at", "step", "topic", "topic_id", "partition", "replicas", "adding_replicas", "removing_replicas",
        "previous_replicas",
    )  # fmt: skip


Assigned = tuple[str, int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
ZOOKEEPER = ("2.5.1-zk-stock", "3.9.1-zk-stock")
ZOOKEEPER_SOAK = ("0.11.0.3-zk-stock", "1.0.2-zk-stock", "2.2.2-zk-stock", "2.6.3-zk-stock", "2.6.3-zk-trace",
                  "3.2.3-zk-stock", "3.2.3-zk-trace", "3.9.1-zk-trace")  # fmt: skip


def written(cluster: Path) -> set[Assigned]:
    """Every assignment that ZooKeeper held: topic, partition, replicas, adding, removing."""
    found = set()
    for change in json_lines(cluster / "truth" / "znodes_txn.jsonl"):
        parts = change["path"].split("/")
        if parts[1:3] != ["brokers", "topics"] or len(parts) != 4 or not change["data"]:
            continue
        for partition, replicas in change["data"]["partitions"].items():
            changing = [
                tuple(change["data"].get(f"{kind}_replicas", {}).get(partition, ()))
                for kind in ("adding", "removing")
            ]
            found.add((parts[3], int(partition), tuple(replicas), *changing))
    return found


def told(row: Row) -> Assigned:
    adding, removing = tuple(row["adding_replicas"] or ()), tuple(row["removing_replicas"] or ())
    return row["topic"], row["partition"], tuple(row["replicas"] or ()), adding, removing


@pytest.mark.parametrize(
    "cluster", [*ZOOKEEPER, *(pytest.param(one, marks=pytest.mark.soak) for one in ZOOKEEPER_SOAK)]
)
def test_what_is_written_is_what_zookeeper_held(shared: Path, cluster: str) -> None:
    """Nothing is told that was not held; nothing was held that is not told.

    Up to 2.3 ZooKeeper holds no adding and removing replicas, and nothing says so in the log.
    """
    folder = shared / "corpus" / "lab" / cluster
    rows = family_rows(assignment.build, SPEC, folder)
    steps = {"created", "added", "updated", "settled"}
    assert {told(row) for row in rows if row["step"] in steps} == written(folder)


@pytest.mark.parametrize(
    "cluster", ["4.0.0-kraft-combined-stock", pytest.param("4.3.1-kraft-separate-stock", marks=pytest.mark.soak),
                pytest.param("3.3.2-kraft-combined-stock", marks=pytest.mark.soak),
                pytest.param("3.9.2-kraft-separate-stock", marks=pytest.mark.soak)]
)  # fmt: skip
def test_what_is_replayed_is_what_the_metadata_log_holds(shared: Path, cluster: str) -> None:
    """Another order of the same replicas, which adds and removes none, is not logged at INFO."""
    folder = shared / "corpus" / "lab" / cluster
    true = {
        (one["data"]["topicId"], one["data"]["partitionId"], tuple(one["data"]["replicas"]))
        for one in json_lines(folder / "truth" / "metadata-log.jsonl")
        if {"replicas", "addingReplicas"} <= one.get("data", {}).keys()
        or {"replicas", "removingReplicas"} <= one.get("data", {}).keys()
    }
    rows = family_rows(assignment.build, SPEC, folder)
    said = [
        row
        for row in rows
        if row["step"] in ("created", "updated", "settled") and row["replicas"] is not None
    ]
    assert {(row["topic_id"], row["partition"], tuple(row["replicas"])) for row in said} == true


def test_a_line_that_names_many_partitions() -> None:
    entries = ", ".join(f"orders-{number} -> Vector({number % 3}, 3)" for number in range(MANY))
    line = f"[2026-11-21 00:00:01,000] INFO [Controller id=1] New partitions to be added Map({entries})"
    rows = declared_rows(assignment.build(records_in({(1, "controller"): f"{line} {LOGGER}"})), SPEC)
    found = rows.select("topic", "partition", "replicas").rows()
    assert sorted(found) == [("orders", number, [number % 3, 3]) for number in range(MANY)]
