"""Findings about partitions without a leader and about ratios, with the lines that prove them; as findings_said."""

from jobs.verify.proof import CONFIRMED, UNDECIDED, Claim
from tests.jobs.finding_records import DISK_OF_1, KRAFT_LEADER
from tests.jobs.findings_said import finding

# Lines of cluster 2.2.2 as Kafka wrote them.
LEFT_3 = "[2026-11-21 08:58:23,399] INFO [Controller id=2] Newly added brokers: , deleted brokers: 3, bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)"
LED_BY_3 = "[2026-11-21 08:58:33,458] TRACE [Controller id=2 epoch=4] Changed partition fraud_scores-1 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=2, isr=List(3), zkVersion=2) (state.change.logger)"
LISTED_ONLINE = "[2026-11-21 08:58:33,458] INFO [PartitionStateMachine controllerId=3] Started partition state machine with initial state -> Map(alerts-0 -> OfflinePartition, fraud_scores-1 -> OnlinePartition) (kafka.controller.PartitionStateMachine)"
CREATED = "[2026-11-21 08:58:11,207] TRACE [Controller id=3 epoch=3] Changed partition inventory-1 state from NonExistentPartition to NewPartition with assigned replicas 1,3 (state.change.logger)"
LED_AT_LAST = "[2026-11-21 08:58:17,324] TRACE [Controller id=2 epoch=4] Changed partition inventory-1 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 3), zkVersion=0) (state.change.logger)"
FOUND_1_3 = "[2026-11-21 08:57:52,444] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 3) (kafka.controller.KafkaController)"
PRINTED = "[2026-11-21 09:00:13,431] TRACE [Controller id=2] Leader imbalance ratio for broker 1 is 0.9285714285714286 (kafka.controller.KafkaController)"
AGAIN = PRINTED.replace("09:00:13,431", "09:00:33,432").replace("0.9285714285714286", "0.5")
BALANCED = PRINTED.replace("09:00:13,431", "09:00:53,430").replace("0.9285714285714286", "0.0")
# Lines of cluster 1.0.2.
LEFT_2 = "[2026-11-21 08:33:50,008] INFO [Controller id=3] Newly added brokers: , deleted brokers: 2, all live brokers: 1,3 (kafka.controller.KafkaController)"
LED_BY_2 = "[2026-11-21 08:33:57,310] TRACE [Controller id=3 epoch=2] Changed partition billing.v2-0 from OfflinePartition to OnlinePartition with leader 2 (state.change.logger)"
# As 0.10.0 prints them of a cluster of one broker whose session with ZooKeeper expired.
FOUND_NONE = "[2026-11-21 08:34:25,828] INFO [Controller 0]: Currently active brokers in the cluster: Set() (kafka.controller.KafkaController)"
LED_BY_0 = "[2026-11-21 08:34:41,043] TRACE Controller 0 epoch 3 changed partition [tweets,0] from OfflinePartition to OnlinePartition with leader 0 (state.change.logger)"
# As 2.2, 3.9 in ZooKeeper mode and 3.9 in KRaft mode print them.
MOVING = "[2026-11-21 10:06:42,201] INFO [Controller id=3] Handling reassignment of partition events-9 to new replicas 3,2 (kafka.controller.KafkaController)"
BEHIND = "[2026-11-21 10:36:42,271] INFO [Controller id=3] 0/2 replicas have caught up with the leader for partition events-9 being reassigned. Replica(s) 3,2 still need to catch up (kafka.controller.KafkaController)"
FAILED_MOVE = "[2026-11-21 10:06:42,251] ERROR [Controller id=3] Error completing reassignment of partition events-9 (kafka.controller.KafkaController)"
SKIPPED_MOVE = "[2026-11-21 10:06:42,201] INFO [Controller id=3] Skipping reassignment of events-9 since the topic is currently being deleted (kafka.controller.KafkaController)"
UPDATING = "[2026-11-21 10:06:42,201] DEBUG [Controller id=2] Updating assignment of partition events-9 from ReplicaAssignment(replicas=1,2, addingReplicas=1, removingReplicas=2) to ReplicaAssignment(replicas=3,2,1, addingReplicas=3, removingReplicas=1) (kafka.controller.KafkaController)"
CHANGED = "[2026-11-21 10:06:42,201] INFO [QuorumController id=102] Replayed partition assignment change PartitionChangeRecord(partitionId=9, topicId=Z1m6mbttRAeUeDg0Cqmckg, isr=null, leader=-2, replicas=[3, 2, 1], removingReplicas=[1], addingReplicas=[3], leaderRecoveryState=-1) for topic events (org.apache.kafka.controller.ReplicationControlManager)"
LEAVING_3 = CHANGED.replace(
    "replicas=[3, 2, 1], removingReplicas=[1], addingReplicas=[3]",
    "replicas=[1, 2, 3], removingReplicas=[3], addingReplicas=null",
)
IN_SYNC_9 = "[2026-11-21 10:06:52,201] INFO [QuorumController id=102] AlterPartition request from node 1 for events-9 completed the ongoing partition reassignment. isr: [1, 2] -> [1, 2, 3], replicaSet: [1, 2, 3] -> [1, 2, 3], partitionEpoch: 6 -> 7, leaderEpoch: 2 -> 2 (org.apache.kafka.controller.ReplicationControlManager)"
OFFLINE_9 = "[2026-11-21 10:06:43,201] INFO [QuorumController id=102] UNCLEAN partition change for events-9 with topic ID Z1m6mbttRAeUeDg0Cqmckg: isr: [1] -> [], leader: 1 -> -1, leaderEpoch: 2 -> 3, partitionEpoch: 4 -> 5 (org.apache.kafka.controller.ReplicationControlManager)"
NO_QUORUM = "[2026-11-21 10:06:44,201] INFO [QuorumController id=102] In the new epoch 41, the leader is (none). (org.apache.kafka.controller.QuorumController)"
REFUSED_WRITE = "[2026-11-21 10:06:44,201] INFO [Controller id=3] Controller moved to another broker when processing AutoPreferredReplicaLeaderElection. (kafka.controller.KafkaController)"
KEPT_BY_3 = "[2026-11-21 10:06:45,201] INFO [Broker id=3] Ignoring StopReplica request (delete=true) from controller 1 with correlation id 12 epoch 1 for partition events-9 since its associated leader epoch 1 matches the current leader epoch (state.change.logger)"


def moving(**facts: str) -> Claim:
    """A reassignment of events-9 to 3 and 2 that is open."""
    own = {
        "partitions_count": "1",
        "topic": "events",
        "partition": "9",
        "target_replicas": "3,2",
        "waiting_for": "unknown",
    }
    return finding("stuck_reassignment", "10:06:42.201", None, **own | facts)


def ended(rule: str, reason: str, until: str = "10:06:42.251") -> Claim:
    """One of events-9 to 3 and 2 that came to nothing."""
    facts = {"topic": "events", "partition": "9", "target_replicas": "3,2", "reason": reason}
    if rule == "reassignment_skipped":
        del facts["target_replicas"]
    return finding(rule, "10:06:42.201", until, **facts)


STATED = {
    "broker_id": "1",
    "controller_id": "2",
    "kafka_ratio": "0.9285714285714286",
    "threshold_ratio": "0.1",
}
FAILED = "[2026-11-21 08:34:25,888] ERROR Controller 0 epoch 3 initiated state change for partition [tweets,0] from OfflinePartition to OnlinePartition failed (state.change.logger)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "stated_imbalance": (
        finding("stated_imbalance", "09:00:13.431", None, checks_count="2", **STATED), [PRINTED, AGAIN], CONFIRMED,
    ),
    "stated_imbalance over": (
        finding("stated_imbalance", "09:00:13.431", "09:00:53.430", checks_count="3", **STATED),
        [PRINTED, AGAIN, BALANCED], CONFIRMED,
    ),
    "outage": (
        finding("outage", "08:58:23.399", "08:58:33.458",
            cause="broker failure", broker_ids="3", partitions_count="1", total_ms="10059", longest_ms="10059",
            topic="fraud_scores", partition="1"),
        [LEFT_3, LED_BY_3], CONFIRMED,
    ),
    "outage up to 1.0": (
        finding("outage", "08:33:50.008", "08:33:57.310",
            cause="broker failure", broker_ids="2", partitions_count="1", total_ms="7302", longest_ms="7302",
            topic="billing.v2", partition="0"),
        [LEFT_2, LED_BY_2], CONFIRMED,
    ),
    "outage of the only broker": (
        finding("outage", "08:34:25.828", "08:34:41.043",
            cause="controller start-up", broker_ids="0", partitions_count="1", total_ms="15215", longest_ms="15215",
            topic="tweets", partition="0"),
        [FOUND_NONE, LED_BY_0], CONFIRMED,
    ),
    "outage that the next start ends": (
        finding("outage", "08:58:23.399", "08:58:33.458",
            cause="broker failure", broker_ids="3", partitions_count="1", total_ms="10059", longest_ms="10059",
            topic="fraud_scores", partition="1"),
        [LEFT_3, LISTED_ONLINE], CONFIRMED,
    ),
    "outage that an attempt shows": (
        finding("outage", "08:34:25.888", "08:34:41.043",
            cause="controller start-up", partitions_count="1", total_ms="15155", longest_ms="15155",
            topic="tweets", partition="0"),
        [FAILED, LED_BY_0], CONFIRMED,
    ),
    "outage of a new partition": (
        finding("outage", "08:58:11.207", "08:58:17.324",
            cause="topic creation", partitions_count="2", total_ms="12234", longest_ms="6117", topic="inventory",
            partition="1"),
        [CREATED, LED_AT_LAST], CONFIRMED,
    ),
    "outage by a lost log directory": (
        finding("outage", "08:05:50.795", "08:05:55.322",
            cause="log-dir failure", broker_ids="1", partitions_count="1", total_ms="4527", longest_ms="4527",
            topic="rf1", partition="0"),
        [DISK_OF_1, KRAFT_LEADER], CONFIRMED,
    ),
    "a stop of two brokers that nothing ends": (
        finding("outage", "08:58:23.399", "08:58:40",
            cause="broker failure", broker_ids="2,3", partitions_count="2", total_ms="33202", longest_ms="16601",
            topic="fraud_scores", partition="1"),
        [LEFT_3, LEFT_3], UNDECIDED,
    ),
    "outage by a leader that no list has": (
        finding("outage", "08:58:33.458", None,
            cause="unknown", broker_ids="3", partitions_count="1", total_ms="900", longest_ms="900",
            topic="fraud_scores", partition="1", open_count="1"),
        [LED_BY_3], UNDECIDED,
    ),
    "outage that goes on": (
        finding("outage", "08:57:52.444", None,
            cause="controller start-up", broker_ids="2", partitions_count="1", total_ms="2800", longest_ms="2800",
            topic="fraud_scores", partition="0", open_count="1"),
        [FOUND_1_3], UNDECIDED,
    ),
    "stuck_reassignment": (moving(lagging_replicas="2,3", waiting_for="broker_lagging"), [MOVING, BEHIND], UNDECIDED),
    "stuck_reassignment 2.4": (moving(), [UPDATING], UNDECIDED),
    "stuck_reassignment without its target": (
        moving(broker_ids="3", waiting_for="broker_gone"), [MOVING, LEFT_3], UNDECIDED,
    ),
    "stuck_reassignment without its leader": (
        moving(broker_ids="3", waiting_for="no_leader"), [MOVING, LEFT_3], UNDECIDED,
    ),
    "stuck_reassignment that nobody leads": (moving(waiting_for="no_leader"), [CHANGED, OFFLINE_9], UNDECIDED),
    "stuck_reassignment without a quorum": (moving(waiting_for="quorum_lost"), [CHANGED, NO_QUORUM], UNDECIDED),
    "stuck_reassignment of a powerless controller": (
        moving(waiting_for="controller_powerless"), [MOVING, REFUSED_WRITE], UNDECIDED,
    ),
    "stuck_reassignment of one both added and removed": (
        moving(target_replicas="1,2", broker_ids="3", waiting_for="adding_and_removing"), [LEAVING_3, IN_SYNC_9], UNDECIDED,
    ),
    "reassignment_failed": (ended("reassignment_failed", "error"), [MOVING, FAILED_MOVE], CONFIRMED),
    "reassignment_failed, forgotten": (ended("reassignment_failed", "forgotten"), [MOVING], UNDECIDED),
    "reassignment_skipped": (ended("reassignment_skipped", "topic_deleting", "10:06:42.201"), [SKIPPED_MOVE], CONFIRMED),
    "replica_left_on_disk": (
        finding("replica_left_on_disk", "10:06:42.201", None, topic="events", partition="9", broker_ids="3"),
        [UPDATING, KEPT_BY_3], CONFIRMED,
    ),
    "stuck_reassignment in KRaft": (moving(), [CHANGED], UNDECIDED),
    "ratio_disagreement": (
        finding("ratio_disagreement", "09:00:13.431", "09:00:13.431",
            controller_id="2", controller_epoch="8", broker_id="1", kafka_ratio="0.9285714285714286",
            imbalance_ratio="0.5", lines_count="1"),
        [PRINTED], UNDECIDED,
    ),
}  # fmt: skip

ALTERED = [
    ("stated_imbalance", "broker 1 is 0.5", "broker 3 is 0.5", "is not of broker 1"),
    ("stated_imbalance", "33,432] TRACE [Controller id=2", "33,432] TRACE [Controller id=3", "is not of controller 2"),
    ("stated_imbalance", "13,431", "13,432", "held from"),
    ("stated_imbalance", "is 0.9285714285714286", "is 0.8285714285714286", "the highest ratio"),
    ("stated_imbalance over", "is 0.0", "is 0.2", "until None"),
    ("outage", "3, bounced brokers: , all live brokers: 1,2", "1, bounced brokers: , all live brokers: 2,3", "leaves fraud_scores-1 with its leader"),
    ("outage", "33,458", "33,459", "it was 10060 ms"),
    ("outage that the next start ends", "33,458", "33,459", "it was 10060 ms"),
    ("outage that an attempt shows", "OnlinePartition failed", "OnlinePartition", "leaves tweets-0 with its leader"),
    ("outage of the only broker", "Set()", "Set(0)", "leaves tweets-0 with its leader"),
    ("outage by a lost log directory", "in broker 1", "in broker 2", "leaves rf1-0 with its leader"),
    ("outage of a new partition", "to NewPartition", "to OnlinePartition", "leaves inventory-1 with its leader"),
    ("outage of a new partition", "inventory-1 state", "inventory-11 state", "leaves inventory-1 with its leader"),
    ("outage that goes on", "Set(1, 3)", "Set(1, 2, 3)", "leaves fraud_scores-0 with its leader"),
    ("outage by a leader that no list has", "leader=3", "leader=2", "leaves fraud_scores-1 with its leader"),
    ("stuck_reassignment", "events-9 to new replicas 3,2", "events-8 to new replicas 3,2", "does not name events-9"),
    ("stuck_reassignment", "new replicas 3,2 (", "new replicas 3,1 (", "does not aim at 3, 2"),
    ("stuck_reassignment", "06:42,201", "06:42,202", "the first record is of"),
    ("stuck_reassignment", "Replica(s) 3,2 still", "Replica(s) 2 still", "no record says that 2, 3 have not caught up"),
    ("stuck_reassignment 2.4", "addingReplicas=3, removingReplicas=1", "addingReplicas=3, removingReplicas=", "does not aim at"),
    ("stuck_reassignment that nobody leads", "-9 with topic", "-8 with topic", "no record says no_leader"),
    ("stuck_reassignment without a quorum", "(none)", "102", "no record says quorum_lost"),
    ("stuck_reassignment of a powerless controller", "moved to another broker", "was slow", "no record says controller_powerless"),
    ("stuck_reassignment of one both added and removed", "-> [1, 2, 3], rep", "-> [1, 3], rep", "while every replica is in sync"),
    ("stuck_reassignment of one both added and removed", "for events-9 completed", "for events-8 completed", "while every replica is in sync"),
    ("stuck_reassignment of one both added and removed", "removingReplicas=[3]", "removingReplicas=[4]", "does not aim at"),
    ("stuck_reassignment in KRaft", "partitionId=9", "partitionId=19", "does not name events-9"),
    ("reassignment_failed", "partition events-9 (", "partition events-8 (", "does not say that it failed"),
    ("replica_left_on_disk", "delete=true", "delete=false", "no record of broker 3"),
    ("replica_left_on_disk", "Broker id=3", "Broker id=2", "no record of broker 3"),
    ("reassignment_skipped", "events-9", "events-8", "does not skip events-9"),
    ("stuck_reassignment without its target", "3, bounced brokers: , all live brokers: 1,2", "1, bounced brokers: , all live brokers: 2,3", "that broker 3 is gone"),
    ("ratio_disagreement", "broker 1 is", "broker 2 is", "for broker 2"),
    ("ratio_disagreement", "id=2", "id=1", "is of controller 1"),
]  # fmt: skip
SAID_WRONGLY = [
    ("stated_imbalance", "checks_count", "1", "2 records print a ratio over 0.1"),
    ("stated_imbalance", "threshold_ratio", "0.95", "the highest ratio that a record prints is 0"),
    ("outage", "longest_ms", "10060", "it was 10059 ms"),
    ("outage", "broker_ids", "1,2", "leaves fraud_scores-1 with its leader"),
    ("outage of a new partition", "partition", "0", "leaves inventory-0 with its leader"),
    ("ratio_disagreement", "imbalance_ratio", "0.9285714285714286", "both ratios are the same"),
    ("ratio_disagreement", "kafka_ratio", "0.9185714285714286", "prints 0.928"),
    ("stuck_reassignment", "topic", "event", "does not name event-9"),
    ("stuck_reassignment", "target_replicas", "2,3", "does not aim at 2, 3"),
    ("ratio_disagreement", "broker_id", "2", "for broker 1"),
]
