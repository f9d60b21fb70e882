"""Elections: asked for, won, failed; selectors, strategies, results, KRaft's diffs and batches."""

from pathlib import Path

import pytest

from pipeline.silver import election_event
from schemas.silver.election_event import SPEC
from tests.frames import frame
from tests.lab import json_lines
from tests.rows import declared_rows, family_rows, records_in, same_rows

CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller 1]: Starting preferred replica leader election for partitions [a,0],[b-1,12] (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] Starting replica leader election (UNCLEAN) for partitions a-1-2,0-numbers-0-1 triggered by AdminClientTriggered (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Controller id=1] Starting replica leader election (PREFERRED) for partitions  triggered by ZkTriggered (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [Controller id=1] Partition a-0 completed preferred replica leader election. New leader is 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] WARN [Controller id=2] Partition a-0 failed to complete preferred replica leader election to 1. Leader is still 3 (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] DEBUG [Controller id=2] PreferredReplicaLeaderElection waiting: Set(orders-2), results: Map() (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] DEBUG [Controller id=2] Waiting for any successful result for election type (UNCLEAN) by AdminClientTriggered for partitions: Map(a-1 -> Right(3), b-0 -> Left(ApiError(error=ELIGIBLE_LEADERS_NOT_AVAILABLE, message=no))) (kafka.controller.KafkaController)
    [2026-11-21 00:00:08,000] WARN [OfflinePartitionLeaderSelector]: No broker in ISR is alive for [a,0]. Elect leader 2 from live brokers 2,3. There's potential data loss. (kafka.controller.OfflinePartitionLeaderSelector)
    [2026-11-21 00:00:09,000] DEBUG [OfflinePartitionLeaderSelector]: Some broker in ISR is alive for a-0. Select 1 from ISR 1,2 to be the leader. (kafka.controller.OfflinePartitionLeaderSelector)
    [2026-11-21 00:00:10,000] INFO [OfflinePartitionLeaderSelector]: Selected new leader and ISR {"leader":1,"leader_epoch":1,"isr":[1,2]} for offline partition [a,0] (kafka.controller.OfflinePartitionLeaderSelector)
    [2026-11-21 00:00:11,000] DEBUG [ControlledShutdownLeaderSelector]: Partition [c,4] : current leader = 2, new leader = 3 (kafka.controller.ControlledShutdownLeaderSelector)
    [2026-11-21 00:00:12,000] INFO [Controller id=1] Partitions that completed preferred replica election: a-0 (kafka.controller.KafkaController)
"""
STATE_CHANGE = """
    [2026-11-21 00:00:21,000] TRACE [Controller id=1 epoch=1] Changed partition a-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=4, isr=List(1), zkVersion=1) (state.change.logger)
    [2026-11-21 00:00:22,000] INFO [Controller id=1 epoch=1] Changed partition a-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=15, isr=List(3), leaderRecoveryState=RECOVERING, partitionEpoch=20) (state.change.logger)
    [2026-11-21 00:00:23,000] TRACE [Controller id=1 epoch=1] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)
    [2026-11-21 00:00:24,000] ERROR [Controller id=1 epoch=1] Controller 1 epoch 1 failed to change state for partition a-1 from OfflinePartition to OnlinePartition (state.change.logger)
    kafka.common.StateChangeFailedException: Failed to elect leader for partition a-1 under strategy OfflinePartitionLeaderElectionStrategy(false)
"""
KRAFT = """
    [2026-11-21 00:00:31,000] INFO Setting new leader for topicId XHlDg9yZQcWKNhDDgJ7y-A, partition 0 to 2 using an unclean election. Previous partition: PartitionRegistration(replicas=[2], directories=[5EXqIzlXD3ygSeMPNb-C8A], isr=[], removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[2], leader=-1, leaderRecoveryState=RECOVERED, leaderEpoch=1, partitionEpoch=2), change record: PartitionChangeRecord(partitionId=0, topicId=XHlDg9yZQcWKNhDDgJ7y-A, isr=null, leader=-2, replicas=null, removingReplicas=null, addingReplicas=null, leaderRecoveryState=-1, directories=null, eligibleLeaderReplicas=null, lastKnownElr=null) (org.apache.kafka.controller.PartitionChangeBuilder)
    [2026-11-21 00:00:32,000] INFO [QuorumController id=1] UNCLEAN partition change for rf1-0 with topic ID XHlDg9yZQcWKNhDDgJ7y-A: isr: [] -> [2], leader: -1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 1 -> 2, lastKnownElr: [2] -> [], partitionEpoch: 2 -> 3 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:33,000] INFO [Controller 1] UNCLEAN partition change for rf1-0 with topic ID v6VJqxRVTLycDB8RnN5lVA: replicas: [1, 2] -> [1], isr: [2] -> [1], removingReplicas: [2] -> [], addingReplicas: [1] -> [], leader: 2 -> 1, leaderEpoch: 4 -> 5, partitionEpoch: 5 -> 6 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:34,000] DEBUG [QuorumController id=1] partition change for rf2-0 with topic ID KIgD9GQtTlum2f4tCbh0pw: isr: [1, 2] -> [1], partitionEpoch: 0 -> 1 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:35,000] INFO [QuorumController id=101] handleBrokerFenced: changing 34 partition(s) (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:36,000] DEBUG [QuorumController id=1] handleBrokerFenced: changing partition(s): rf2-0, audit_log-12 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:37,000] INFO [QuorumController id=2] Periodic task electPreferred generated 3 records in 1818 microseconds. (org.apache.kafka.controller.PeriodicTaskControlManager)
    [2026-11-21 00:00:38,000] DEBUG [QuorumController id=1] Periodic task writeNoOpRecord generated 1 records in 535 microseconds. (org.apache.kafka.controller.PeriodicTaskControlManager)
"""
EXPECTED = """
    logged_at | step            | selector                                      | trigger              | topic       | topic_id               | partition | partition_count | old_leader | new_leader | leader_epoch | isr   | live_replicas | reason
    1         | started         | PREFERRED                                     |                      | a           |                        | 0         |                 |            |            |              |       |               |
    1         | started         | PREFERRED                                     |                      | b-1         |                        | 12        |                 |            |            |              |       |               |
    2         | started         | UNCLEAN                                       | AdminClientTriggered | a-1         |                        | 2         |                 |            |            |              |       |               |
    2         | started         | UNCLEAN                                       | AdminClientTriggered | 0-numbers-0 |                        | 1         |                 |            |            |              |       |               |
    4         | elected         | PREFERRED                                     |                      | a           |                        | 0         |                 |            | 2          |              |       |               |
    5         | not_elected     | PREFERRED                                     |                      | a           |                        | 0         |                 | 3          | 1          |              |       |               |
    6         | waiting         | PREFERRED                                     |                      | orders      |                        | 2         |                 |            |            |              |       |               |
    7         | result          | UNCLEAN                                       | AdminClientTriggered | a           |                        | 1         |                 |            | 3          |              |       |               |
    7         | result          | UNCLEAN                                       | AdminClientTriggered | b           |                        | 0         |                 |            |            |              |       |               | Left(ApiError(error=ELIGIBLE_LEADERS_NOT_AVAILABLE, message=no)
    8         | elected_unclean | OfflinePartitionLeaderSelector                |                      | a           |                        | 0         |                 |            | 2          |              |       | [2 3]         |
    9         | elected         | OfflinePartitionLeaderSelector                |                      | a           |                        | 0         |                 |            | 1          |              | [1 2] |               |
    10        | result          | OfflinePartitionLeaderSelector                |                      | a           |                        | 0         |                 |            | 1          | 1            | [1 2] |               |
    11        | elected         | ControlledShutdownLeaderSelector              |                      | c           |                        | 4         |                 | 2          | 3          |              |       |               |
    12        | listed_as_done  | PREFERRED                                     |                      | a           |                        | 0         |                 |            |            |              |       |               |
    21        | elected         |                                               |                      | a           |                        | 0         |                 |            | 1          | 4            | [1]   |               |
    22        | elected_unclean |                                               |                      | a           |                        | 0         |                 |            | 3          | 15           | [3]   |               |
    24        | failed          | OfflinePartitionLeaderElectionStrategy(false) |                      | a           |                        | 1         |                 |            |            |              |       |               |
    31        | elected_unclean | LAST_KNOWN_LEADER                             |                      |             | XHlDg9yZQcWKNhDDgJ7y-A | 0         |                 | -1         | 2          | 1            | []    |               |
    32        | elected_unclean | LAST_KNOWN_LEADER                             |                      | rf1         | XHlDg9yZQcWKNhDDgJ7y-A | 0         |                 | -1         | 2          | 2            | [2]   |               |
    33        | elected         |                                               |                      | rf1         | v6VJqxRVTLycDB8RnN5lVA | 0         |                 | 2          | 1          | 5            | [1]   |               |
    35        | batch           |                                               | handleBrokerFenced   |             |                        |           | 34              |            |            |              |       |               |
    36        | batch           |                                               | handleBrokerFenced   | rf2         |                        | 0         |                 |            |            |              |       |               |
    36        | batch           |                                               | handleBrokerFenced   | audit_log   |                        | 12        |                 |            |            |              |       |               |
    37        | batch           |                                               | electPreferred       |             |                        |           | 3               |            |            |              |       |               |
"""  # fmt: skip


def test_elections() -> None:
    logs = {(1, "controller"): CONTROLLER, (1, "state-change"): STATE_CHANGE, (101, "controller"): KRAFT}
    found = declared_rows(election_event.build(records_in(logs)), SPEC)
    same_rows(
        found, frame(SPEC, EXPECTED),
        "logged_at", "step", "selector", "trigger", "topic", "topic_id", "partition", "partition_count", "old_leader",
        "new_leader", "leader_epoch", "isr", "live_replicas", "reason",
    )  # fmt: skip
    told = found.filter(found["isr_before"].is_not_null()).sort("logged_at")
    assert told["isr_before"].to_list() == [[], [2]]


@pytest.mark.parametrize(
    "cluster", ["3.9.1-zk-stock", pytest.param("3.2.3-zk-stock", marks=pytest.mark.soak)]
)
def test_unclean_elections_are_those_of_the_znodes(shared: Path, cluster: str) -> None:
    """From 3.2 on a state znode says that its leader recovers from an unclean election."""
    folder = shared / "corpus" / "lab" / cluster
    true = set()
    for change in json_lines(folder / "truth" / "znodes_txn.jsonl"):
        parts = change["path"].split("/")
        if (
            parts[-1] == "state"
            and len(parts) == 7
            and change["data"]
            and change["data"].get("leader_recovery_state")
        ):
            true.add((parts[3], int(parts[5]), change["data"]["leader"], change["data"]["leader_epoch"]))
    rows = family_rows(election_event.build, SPEC, folder)
    key = ("topic", "partition", "new_leader", "leader_epoch")
    told = {tuple(row[name] for name in key) for row in rows if row["step"] == "elected_unclean"}
    assert told == true
    assert true


@pytest.mark.soak
def test_leaders_at_debug_are_those_of_the_metadata_log(shared: Path) -> None:
    """At DEBUG a KRaft controller tells every change of a leader."""
    folder = shared / "corpus" / "lab" / "4.3.1-kraft-combined-trace"
    leaders: dict[tuple[str, int], int] = {}
    true = set()
    for one in json_lines(folder / "truth" / "metadata-log.jsonl"):
        data = one.get("data", {})
        if "leader" in data and data["leader"] != -2:
            at = data["topicId"], data["partitionId"]
            if at in leaders and leaders[at] != data["leader"]:
                true.add((*at, leaders[at], data["leader"]))
            leaders[at] = data["leader"]
    rows = family_rows(election_event.build, SPEC, folder)
    key = ("topic_id", "partition", "old_leader", "new_leader")
    assert {
        tuple(row[name] for name in key) for row in rows if row["event"].startswith("partition_diff")
    } == true
