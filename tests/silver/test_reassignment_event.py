"""Steps of reassignments: the old form in ZooKeeper, the one from 2.4 on, KRaft."""

from pathlib import Path

import pytest

from pipeline.silver import reassignment_event
from schemas.silver.reassignment_event import SPEC
from tests.frames import frame
from tests.lab import json_lines
from tests.rows import declared_rows, family_rows, records_in, same_rows

LINES = """
    [2026-11-21 00:00:01,000] DEBUG [PartitionsReassignedListener on 1]: Partitions reassigned listener fired for path /admin/reassign_partitions. Record partitions to be reassigned {"version":1,"partitions":[{"topic":"a-1","partition":0,"replicas":[1,3]},{"topic":"b","partition":12,"replicas":[2]}]} (kafka.controller.PartitionsReassignedListener)
    [2026-11-21 00:00:02,000] INFO [Controller 1]: Handling reassignment of partition [cart_items,3] to new replicas 1,3 (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Controller id=2] 1/2 replicas have caught up with the leader for partition clicks-0 being reassigned. Replica(s) 1 still need to catch up (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [Controller id=2] Leader 2 for partition orders-2 being reassigned, is not in the new list of replicas 3,1. Re-electing leader (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] DEBUG [Controller id=3] Updating assignment of partition o-2 from ReplicaAssignment(replicas=1,2, addingReplicas=, removingReplicas=) to ReplicaAssignment(replicas=1,3,2, addingReplicas=3, removingReplicas=2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] DEBUG [Controller id=3] Updating assignment of partition o-2 from ReplicaAssignment(replicas=1,3,2, addingReplicas=3, removingReplicas=2) to ReplicaAssignment(replicas=1,4,2, addingReplicas=4, removingReplicas=2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] DEBUG [Controller id=3] Updating assignment of partition o-2 from ReplicaAssignment(replicas=1,4,2, addingReplicas=4, removingReplicas=2) to ReplicaAssignment(replicas=1,2, addingReplicas=, removingReplicas=) (kafka.controller.KafkaController)
    [2026-11-21 00:00:08,000] INFO [Controller id=3] Target replicas ArrayBuffer(1, 3) have all caught up with the leader for reassigning partition billing.v2-2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller id=3] Removing partitions Map(billing.v2-2 -> Buffer(1, 3)) from the list of reassigned partitions in zookeeper (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Removing partitions Set(o-1, o-2) from the list of reassigned partitions in zookeeper (kafka.controller.KafkaController)
    [2026-11-21 00:00:11,000] INFO [Controller id=1] Removing partitions Set() from the list of reassigned partitions in zookeeper (kafka.controller.KafkaController)
    [2026-11-21 00:00:12,000] INFO [Controller id=1] Partitions being reassigned: Map(o-1 -> ReassignedPartitionsContext(List(1, 2),null)) (kafka.controller.KafkaController)
    [2026-11-21 00:00:13,000] INFO [Controller id=1] No more partitions need to be reassigned. Deleting zk path /admin/reassign_partitions (kafka.controller.KafkaController)
    [2026-11-21 00:00:14,000] INFO [Controller id=1] Skipping reassignment of o-1 since the topic is currently being deleted (kafka.controller.KafkaController)
    [2026-11-21 00:00:15,000] INFO [Controller id=1] Failed completing reassignment of partition o-1 because controller has moved to another broker (kafka.controller.KafkaController)
"""
KRAFT = """
    [2026-11-21 00:00:21,000] INFO [Controller 3] Successfully altered 5 out of 6 partition reassignment(s). (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:22,000] INFO [Controller 3] Unable to alter partition reassignment for rf2:0 because of an NoReassignmentInProgressException error: No partition reassignment is in progress. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:23,000] INFO [QuorumController id=101] Replayed partition assignment change PartitionChangeRecord(partitionId=1, topicId=UnZBel8qRy60HqJjvUn8ug, isr=null, leader=-2, replicas=[2, 3], removingReplicas=[3], addingReplicas=[2], leaderRecoveryState=-1, directories=[j, A], eligibleLeaderReplicas=null, lastKnownElr=null) for topic rf1 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:24,000] INFO [QuorumController id=101] AlterPartition request from node 3 for rf1-0 completed the ongoing partition reassignment and triggered a leadership change. Returning NEW_LEADER_ELECTED. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:25,000] INFO [QuorumController id=101] AlterPartition request from node 3 for rf1-2 completed the ongoing partition reassignment. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:26,000] INFO [Controller 3] AlterPartition request from node 3 for rf1-3 completed the ongoing partition reassignment. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:27,000] INFO [QuorumController id=101] AlterPartition request from node 3 for rf1-2 completed the ongoing partition reassignment. isr: [1] -> [1, 3], replicaSet: [3, 2, 1] -> [3, 2, 1], partitionEpoch: 3 -> 4, leaderEpoch: 0 -> 0 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:28,000] INFO [QuorumController id=101] AlterPartition request from node 3 for rf1-2 completed the ongoing partition reassignment. isr: [1, 2] -> [1, 2, 3], replicaSet: [3, 2, 1] -> [3, 2, 1], partitionEpoch: 4 -> 5, leaderEpoch: 0 -> 0 (org.apache.kafka.controller.ReplicationControlManager)
"""
EXPECTED = """
    logged_at | step                 | reason           | topic      | partition | target_replicas | replicas | adding_replicas | removing_replicas | previous_replicas | lagging_replicas | caught_up_count | leader
    1         | requested            |                  | a-1        | 0         | [1 3]           |          |                 |                   |                   |                  |                 |
    1         | requested            |                  | b          | 12        | [2]             |          |                 |                   |                   |                  |                 |
    2         | started              |                  | cart_items | 3         | [1 3]           |          |                 |                   |                   |                  |                 |
    3         | lagging              |                  | clicks     | 0         |                 |          |                 |                   |                   | [1]              | 1               |
    4         | leader_not_in_target |                  | orders     | 2         | [3 1]           |          |                 |                   |                   |                  |                 | 2
    5         | started              |                  | o          | 2         | [1 3]           | [1 3 2]  | [3]             | [2]               | [1 2]             |                  |                 |
    6         | overridden           |                  | o          | 2         | [1 4]           | [1 4 2]  | [4]             | [2]               | [1 3 2]           |                  |                 |
    7         | cancelled            |                  | o          | 2         | [1 2]           | [1 2]    | []              | []                | [1 4 2]           |                  |                 |
    8         | caught_up            |                  | billing.v2 | 2         | [1 3]           |          |                 |                   |                   |                  |                 |
    9         | removed              |                  | billing.v2 | 2         | [1 3]           |          |                 |                   |                   |                  |                 |
    10        | removed              |                  | o          | 1         |                 |          |                 |                   |                   |                  |                 |
    10        | removed              |                  | o          | 2         |                 |          |                 |                   |                   |                  |                 |
    12        | listed               |                  | o          | 1         | [1 2]           |          |                 |                   |                   |                  |                 |
    13        | none_left            |                  |            |           |                 |          |                 |                   |                   |                  |                 |
    14        | skipped              | topic_deleting   | o          | 1         |                 |          |                 |                   |                   |                  |                 |
    15        | failed               | controller_moved | o          | 1         |                 |          |                 |                   |                   |                  |                 |
    21        | accepted             |                  |            |           |                 |          |                 |                   |                   |                  |                 |
    22        | skipped              | rejected         | rf2        | 0         |                 |          |                 |                   |                   |                  |                 |
    23        | changed              |                  | rf1        | 1         | [2]             | [2 3]    | [2]             | [3]               |                   |                  |                 |
    24        | completed            |                  | rf1        | 0         |                 |          |                 |                   |                   |                  |                 |
    25        | isr_changed          |                  | rf1        | 2         |                 |          |                 |                   |                   |                  |                 |
    26        | completed            |                  | rf1        | 3         |                 |          |                 |                   |                   |                  |                 |
    27        | isr_changed          |                  | rf1        | 2         |                 |          |                 |                   |                   |                  |                 |
    28        | all_in_sync          |                  | rf1        | 2         |                 |          |                 |                   |                   |                  |                 |
"""  # fmt: skip


def test_steps() -> None:
    records = records_in({(1, "controller"): LINES, (101, "controller"): KRAFT})
    found = declared_rows(reassignment_event.build(records), SPEC)
    same_rows(
        found, frame(SPEC, EXPECTED),
        "logged_at", "step", "reason", "topic", "partition", "target_replicas", "replicas", "adding_replicas",
        "removing_replicas", "previous_replicas", "lagging_replicas", "caught_up_count", "leader",
    )  # fmt: skip
    counted = found.filter(found["asked_count"].is_not_null())
    assert counted.select("asked_count", "accepted_count").rows() == [(6, 5)]


def test_targets_keep_the_order_of_the_replicas() -> None:
    """The first is the preferred leader."""
    record = "PartitionChangeRecord(partitionId=1, topicId=UnZBel8qRy60HqJjvUn8ug, isr=null, leader=-2, replicas={}, removingReplicas={}, addingReplicas=[5], leaderRecoveryState=-1)"
    texts = [
        record.format("[5, 1, 3, 2, 4]", "[5, 3]"),
        record.format("[2, 1]", "[1, 2]"),
        record.format("[2, 1]", "null"),
    ]
    line = "[2026-11-21 00:00:0{},000] INFO [QuorumController id=101] Replayed partition assignment change {} for topic t (org.apache.kafka.controller.ReplicationControlManager)"
    lines = "\n".join(line.format(at, text) for at, text in enumerate(texts))
    found = reassignment_event.build(records_in({(101, "controller"): lines})).sort("logged_at")
    assert found["target_replicas"].to_list() == [[1, 2, 4], [], [2, 1]]


@pytest.mark.parametrize(
    "cluster", ["2.5.1-zk-stock", pytest.param("3.9.1-zk-stock", marks=pytest.mark.soak)]
)
def test_cancelled_are_those_that_were_cancelled(shared: Path, cluster: str) -> None:
    """ZooKeeper's own record: from adding or removing replicas back to the assignment before it."""
    folder = shared / "corpus" / "lab" / cluster
    rows = family_rows(reassignment_event.build, SPEC, folder)
    told = sorted((row["topic"], row["partition"]) for row in rows if row["step"] == "cancelled")
    assert told == sorted(cancelled(folder))
    assert told


def cancelled(cluster: Path) -> list[tuple[str, int]]:
    before: dict[tuple[str, int], tuple[list[int], bool]] = {}
    origin: dict[tuple[str, int], list[int]] = {}
    found = []
    for change in json_lines(cluster / "truth" / "znodes_txn.jsonl"):
        parts = change["path"].split("/")
        if parts[1:3] != ["brokers", "topics"] or len(parts) != 4 or not change["data"]:
            continue
        data = change["data"]
        for name, replicas in data["partitions"].items():
            at = parts[3], int(name)
            is_changing = name in data["adding_replicas"] or name in data["removing_replicas"]
            was, was_changing = before.get(at, (replicas, False))
            if is_changing and not was_changing:
                origin[at] = was
            if was_changing and not is_changing and replicas == origin[at]:
                found.append(at)
            before[at] = replicas, is_changing
    return found
