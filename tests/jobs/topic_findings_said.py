"""Findings about lives of topics with the lines that prove them, and what must not; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, UNDECIDED, Claim
from tests.jobs.findings_said import finding

# Of cluster 2.2.2 and others as Kafka wrote them, but for names and times.
QUEUED = "[2026-11-21 09:00:21,678] INFO [Controller id=2] Starting topic deletion for topics payments (kafka.controller.KafkaController)"
DEAD = "[2026-11-21 09:00:21,688] DEBUG [Topic Deletion Manager 2], Dead Replicas ([Topic=payments,Partition=0,Replica=3],[Topic=payments,Partition=1,Replica=3]) found for topic payments (kafka.controller.TopicDeletionManager)"
HALTED = "[2026-11-21 09:00:21,689] INFO [Topic Deletion Manager 2], Halted deletion of topics payments (kafka.controller.TopicDeletionManager)"
PUT_OFF = "[2026-11-21 09:00:21,702] INFO [Topic Deletion Manager 2], Not retrying deletion of topic payments at this time since it is marked ineligible for deletion (kafka.controller.TopicDeletionManager)"
OFFLINE = "[2026-11-21 09:00:21,702] INFO [Topic Deletion Manager 2] Halted deletion of topics payments,alerts due to offline replicas (kafka.controller.TopicDeletionManager)"
MOVING = OFFLINE.replace("offline replicas", "topic reassignment in progress")
DELETED = "[2026-11-21 09:00:46,101] INFO [Topic Deletion Manager 2], Deletion of topic payments successfully completed (kafka.controller.TopicDeletionManager)"
REBORN = "[2026-11-21 09:00:46,101] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)"
REMOVED = "[2026-11-21 09:00:46,101] INFO [Controller id=2] New topics: [Set()], deleted topics: [Set(payments)], new partition replica assignment [Map()] (kafka.controller.KafkaController)"
WITHOUT = "[2026-11-21 09:00:46,101] INFO [Controller id=3] Current list of topics in the cluster: Set(alerts) (kafka.controller.KafkaController)"
ANSWERED = "[2026-11-21 09:00:21,690] DEBUG [Controller id=2] Delete topic callback invoked on StopReplica response received from broker 3: request error = NONE, partition errors = Map(payments-0 -> KAFKA_STORAGE_ERROR, payments-1 -> KAFKA_STORAGE_ERROR) (kafka.controller.KafkaController)"
FAILED = "[2026-11-21 09:00:21,691] DEBUG [Topic Deletion Manager 2] Deletion failed for replicas [Topic=payments,Partition=0,Replica=3],[Topic=payments,Partition=1,Replica=3]. Halting deletion for topics Set(payments) (kafka.controller.TopicDeletionManager)"
NOT_DELETED = OFFLINE.replace("offline replicas", "replica deletion failure")
CREATED = "[2026-11-21 09:00:46,123] INFO [Controller id=2] New topics: [Set(payments)], deleted topics: [Set()], new partition replica assignment [Map(payments-0 -> Vector(3))] (kafka.controller.KafkaController)"
ONLINE = "[2026-11-21 09:01:50,100] TRACE [Controller id=2 epoch=8] Changed partition payments-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=0, isr=List(3), zkVersion=0) (state.change.logger)"
LEADS = "[2026-11-21 09:00:55,100] TRACE [Broker id=3] Completed LeaderAndIsr request correlationId 1 from controller 2 epoch 8 for the become-leader transition for partition payments-0 (state.change.logger)"
LED = "[2026-11-21 09:00:55,100] INFO [Broker id=3] Leader payments-0 with topic id Some(9RKjcrYoTGisVPImvRI5Sg) starts at leader epoch 0 from offset 0 with partition epoch 0, high watermark 0, ISR [3], adding replicas [] and removing replicas [] . Previous leader Some(-1) and previous leader epoch was -1. (state.change.logger)"
REPLAYED = "[2026-11-21 09:00:46,123] INFO [QuorumController id=1] Replayed TopicRecord for topic payments with topic ID 9RKjcrYoTGisVPImvRI5Sg. (org.apache.kafka.controller.ReplicationControlManager)"
DROPPED = "[2026-11-21 09:00:46,101] INFO [Controller id=2] Removing payments since delete topic is disabled (kafka.controller.KafkaController)"
EACH = [
    f"[2026-11-21 09:00:21,{one}] DEBUG [Topic Deletion Manager 2], Deletion failed for replicas [Topic=payments,Partition={one},Replica=3]. Halting deletion for topics Set(payments) (kafka.controller.TopicDeletionManager)"
    for one in range(710, 715)
]
BY_DEAD = {"topic": "payments", "blocked_by": "dead_replica", "broker_ids": "3", "replicas_count": "2"}

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "stuck_deletion": (
        finding("stuck_deletion", "09:00:21.678", "09:00:46.101", **BY_DEAD, lasted_ms="24423"),
        [QUEUED, HALTED, DEAD, DELETED], CONFIRMED,
    ),
    "stuck_deletion removed": (
        finding("stuck_deletion", "09:00:21.678", "09:00:46.101", **BY_DEAD, lasted_ms="24423"),
        [QUEUED, PUT_OFF, DEAD, REMOVED], CONFIRMED,
    ),
    "stuck_deletion wiped": (
        finding("stuck_deletion", "09:00:21.678", "09:00:46.101", **BY_DEAD, lasted_ms="24423"),
        [QUEUED, PUT_OFF, DEAD, REBORN], CONFIRMED,
    ),
    "stuck_deletion vanished": (
        finding("stuck_deletion", "09:00:21.678", "09:00:46.101", **BY_DEAD, lasted_ms="24423"),
        [QUEUED, PUT_OFF, DEAD, WITHOUT], CONFIRMED,
    ),
    "stuck_deletion open": (
        finding("stuck_deletion", "09:00:21.678", None, **BY_DEAD), [QUEUED, OFFLINE, DEAD], CONFIRMED,
    ),
    "stuck_deletion at INFO": (
        finding("stuck_deletion", "09:00:21.678", None, topic="payments", blocked_by="dead_replica"),
        [QUEUED, OFFLINE], CONFIRMED,
    ),
    "stuck_deletion moving": (
        finding("stuck_deletion", "09:00:21.678", None, topic="payments", blocked_by="reassignment"),
        [QUEUED, MOVING], CONFIRMED,
    ),
    "stuck_deletion disk": (
        finding("stuck_deletion", "09:00:21.678", None, topic="payments", blocked_by="storage_error",
            broker_ids="3", replicas_count="2", error="KAFKA_STORAGE_ERROR"),
        [QUEUED, NOT_DELETED, ANSWERED, FAILED], CONFIRMED,
    ),
    "stuck_deletion of many": (
        finding("stuck_deletion", "09:00:21.678", None, topic="payments", blocked_by="replica_deletion_failed",
            broker_ids="3", replicas_count="200"),
        [QUEUED, HALTED, *EACH], UNDECIDED,
    ),
    "topic_without_leader_since_creation": (
        finding("topic_without_leader_since_creation", "09:00:46.123", "09:01:50.100",
            topic="payments", partition="0", broker_ids="3", lasted_ms="63977"),
        [CREATED, ONLINE], UNDECIDED,
    ),
    "slow_creation": (
        finding("slow_creation", "09:00:46.123", "09:00:55.100",
            topic="payments", partition="0", controller_id="2", broker_ids="3", lasted_ms="8977"),
        [CREATED, LEADS], CONFIRMED,
    ),
    "slow_creation KRaft": (
        finding("slow_creation", "09:00:46.123", "09:00:55.100", topic="payments", partition="0", lasted_ms="8977"),
        [REPLAYED, LED], CONFIRMED,
    ),
    "topic_vanished": (
        finding("topic_vanished", "09:00:46.101", "09:00:46.101", topic="payments", controller_id="3"),
        [QUEUED, WITHOUT], CONFIRMED,
    ),
    "topic_removed_by_hand": (
        finding("topic_removed_by_hand", "09:00:46.101", "09:00:46.101", topic="payments"), [REMOVED], CONFIRMED,
    ),
    "deletion_disabled": (
        finding("deletion_disabled", "09:00:46.101", "09:00:46.101", topic="payments"), [DROPPED], CONFIRMED,
    ),
    "recreated_at_once": (
        finding("recreated_at_once", "09:00:46.101", "09:00:46.123", topic="payments", lasted_ms="22"),
        [DELETED, CREATED], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("stuck_deletion", "Halted deletion of topics payments", "Halted deletion of topics alerts", "no record puts off"),
    ("stuck_deletion", "deletion for topics payments", "deletion for topics alerts", "held from"),
    ("stuck_deletion", "46,101", "46,301", "held from"),
    ("stuck_deletion", "Partition=1,Replica=3", "Partition=1,Replica=2", "records name replicas on"),
    ("stuck_deletion", ",[Topic=payments,Partition=1,Replica=3]", "", "records name 1 replicas"),
    ("stuck_deletion removed", "Set(payments)", "Set(alerts)", "held from"),
    ("stuck_deletion wiped", "46,101", "46,301", "held from"),
    ("stuck_deletion vanished", "Set(alerts)", "Set(alerts, payments)", "held from"),
    ("stuck_deletion open", "21,678", "21,679", "held from"),
    ("stuck_deletion disk", "payments-0 -> KAFKA_STORAGE_ERROR, payments-1 -> KAFKA_STORAGE_ERROR", "payments-0 -> NONE", "no broker answers"),
    ("topic_without_leader_since_creation", "Set(payments)", "Set(alerts)", "no record creates"),
    ("topic_without_leader_since_creation", "50,100", "50,101", "held from"),
    ("slow_creation", "partition payments-0", "partition alerts-0", "no record says that a broker leads"),
    ("slow_creation", "55,100", "55,101", "held from"),
    ("slow_creation KRaft", "for topic payments", "for topic alerts", "no record creates"),
    ("topic_vanished", "Set(alerts)", "Set(payments)", "no list of topics is without"),
    ("topic_vanished", "id=3] Current", "id=4] Current", "is of controller"),
    ("topic_vanished", "for topics payments", "for topics alerts", "asks for the deletion"),
    ("topic_vanished", "09:00:21,678", "09:00:56,678", "another order"),
    ("topic_removed_by_hand", "deleted topics: [Set(payments)]", "deleted topics: [Set(alerts)]", "is gone"),
    ("deletion_disabled", "Removing payments", "Removing alerts", "drops a request"),
    ("recreated_at_once", "topic payments successfully", "topic alerts successfully", "completes the deletion"),
    ("recreated_at_once", "Set(payments)", "Set(alerts)", "no record creates"),
    ("recreated_at_once", "Map(payments-0 -> Vector(3))", "Set(TopicIdReplicaAssignment(payments,Some(9RKjcrYoTGisVPImvRI5Sg),Map()))", "have ids"),
]  # fmt: skip

SAID_WRONGLY = [
    ("stuck_deletion", "lasted_ms", "24424", "it was 24423 ms"),
    ("stuck_deletion open", "lasted_ms", "24423", "has no end"),
    ("stuck_deletion", "blocked_by", "a broker", "puts off no deletion"),
    ("stuck_deletion disk", "error", "NOT_CONTROLLER", "no broker answers"),
    ("recreated_at_once", "lasted_ms", "23", "it was 22 ms"),
]
