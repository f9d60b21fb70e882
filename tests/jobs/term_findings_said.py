"""Findings about terms with the lines that prove them, and what must not prove them; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.findings_said import finding

# Lines of clusters 1.0.2 and 2.2.2 as Kafka wrote them.
ELECTED_4 = "[2026-11-21 08:34:11,298] INFO [Controller id=2] 2 successfully elected as the controller (kafka.controller.KafkaController)"
EPOCH_4 = "[2026-11-21 08:34:11,304] INFO [Controller id=2] Incremented epoch to 4 (kafka.controller.KafkaController)"
ELECTED_5 = "[2026-11-21 08:34:22,016] INFO [Controller id=3] 3 successfully elected as the controller (kafka.controller.KafkaController)"
EPOCH_5 = "[2026-11-21 08:34:22,025] INFO [Controller id=3] Incremented epoch to 5 (kafka.controller.KafkaController)"
WROTE_LAST = "[2026-11-21 08:34:26,334] TRACE [Controller id=2 epoch=4] Changed partition page.views-5 from OnlinePartition to OnlinePartition with leader 1 (state.change.logger)"
ELECTED_3 = "[2026-11-21 08:57:59,611] INFO [Controller id=3] 3 successfully elected as the controller. Epoch incremented to 3 and epoch zk version is now 3 (kafka.controller.KafkaController)"
READY_3 = "[2026-11-21 08:57:59,702] INFO [Controller id=3] Ready to serve as the new controller with epoch 3 (kafka.controller.KafkaController)"
FENCED_3 = "[2026-11-21 08:58:11,215] ERROR [PartitionStateMachine controllerId=3] Controller moved to another broker when trying to create the topic partition state znode (kafka.controller.PartitionStateMachine)"
RESIGNING_3 = "[2026-11-21 08:58:17,217] DEBUG [Controller id=3] Resigning (kafka.controller.KafkaController)"

RENOUNCED = "[2026-11-21 08:09:29,695] WARN [QuorumController id=0] Renouncing the leadership due to a metadata log event. We were the leader at epoch 43, but in the new epoch 44, the leader is (none). Reverting to last stable offset 605. (org.apache.kafka.controller.QuorumController)"
FIRST_44 = "[2026-11-21 08:09:31,052] INFO [QuorumController id=1] In the new epoch 44, the leader is (none). (org.apache.kafka.controller.QuorumController)"
LAST_48 = "[2026-11-21 08:10:36,480] INFO [QuorumController id=1] In the new epoch 48, the leader is (none). (org.apache.kafka.controller.QuorumController)"
REFUSED_1 = "[2026-11-21 08:09:33,797] INFO [RaftManager id=1] Insufficient remaining votes to become leader (rejected by [2, 0]). We will backoff before retrying election again (org.apache.kafka.raft.KafkaRaftClient)"
LED_49 = "[2026-11-21 08:10:37,480] INFO [QuorumController id=1] In the new epoch 49, the leader is 2. (org.apache.kafka.controller.QuorumController)"
RACE = {
    "epochs_count": "5",
    "first_epoch": "44",
    "last_epoch": "48",
    "asking_ids": "1",
    "refused_ids": "1",
    "refusing_ids": "0,2",
}

# As a 2.3 cluster prints it.
FAILED_102 = """[2026-11-21 04:22:44,470] ERROR [Controller id=102] Error processing event BrokerChange(Buffer(101, 102, 103)) (kafka.controller.KafkaController)
java.util.NoSuchElementException: key not found: price-list-2"""
# As a 3.9 cluster prints it.
MOVES_BROKE_OFF = """[2026-11-21 04:22:44,470] ERROR [PartitionStateMachine controllerId=102] Error while moving some partitions to OnlinePartition state (kafka.controller.ZkPartitionStateMachine)
java.io.IOException: gone"""

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "deposed_controller_wrote": (
        finding("deposed_controller_wrote", "08:34:22.016", "08:34:26.334",
            controller_id="2", controller_epoch="4", writes_count="3", late_ms="4318"),
        [ELECTED_4, EPOCH_4, WROTE_LAST, ELECTED_5, EPOCH_5], CONFIRMED,
    ),
    "controller_powerless still": (
        finding("controller_powerless", "08:58:11.215", None,
            controller_id="3", controller_epoch="3", refused_count="5"),
        [ELECTED_3, FENCED_3], CONFIRMED,
    ),
    "controller_powerless": (
        finding("controller_powerless", "08:58:11.215", "08:58:17.217",
            controller_id="3", controller_epoch="3", refused_count="5", lasted_ms="6002"),
        [ELECTED_3, FENCED_3, RESIGNING_3], CONFIRMED,
    ),
    "failover_slow": (
        finding("failover_slow", "08:57:59.611", "08:57:59.702",
            controller_id="3", controller_epoch="3", lasted_ms="91", longest_step="initializing_context"),
        [ELECTED_3, READY_3], CONFIRMED,
    ),
    "event_failed": (
        finding("event_failed", "04:22:44.470", "04:22:44.470",
            controller_id="102", event="BrokerChange", exception_class="java.util.NoSuchElementException",
            failures_count="1"),
        [FAILED_102], CONFIRMED,
    ),
    "event_failed of moves": (
        finding("event_failed", "04:22:44.470", "04:22:44.470", controller_id="102", event="moves of partitions",
            exception_class="java.io.IOException", failures_count="1"),
        [MOVES_BROKE_OFF], CONFIRMED,
    ),
    "quorum_without_leader": (
        finding("quorum_without_leader", "08:09:29.695", None, **RACE),
        [RENOUNCED, LAST_48, REFUSED_1], CONFIRMED,
    ),
    "quorum_without_leader over": (
        finding("quorum_without_leader", "08:09:31.052", "08:10:37.480", lasted_ms="66428", **RACE),
        [FIRST_44, LAST_48, REFUSED_1, LED_49], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("deposed_controller_wrote", "26,334", "26,234", "held from"),
    ("deposed_controller_wrote", "26,334", "21,334", "is not after"),
    ("deposed_controller_wrote", "2 epoch=4", "2 epoch=5", "is no write of controller 2"),
    ("deposed_controller_wrote", "id=2 epoch", "id=3 epoch", "is no write of controller 2"),
    ("deposed_controller_wrote", "to OnlinePartition", "to OfflinePartition", "is no write of controller 2"),
    ("deposed_controller_wrote", "Changed partition", "Forgot", "0 such records"),
    ("deposed_controller_wrote", "epoch to 5", "epoch to 6", "no record elects one with epoch 5"),
    ("controller_powerless", "11,215", "11,216", "held from"),
    ("controller_powerless still", "11,215", "11,216", "held from"),
    ("controller_powerless", "17,217", "17,218", "held from"),
    ("controller_powerless", "controllerId=3", "controllerId=2", "no record refuses a write of controller 3"),
    ("controller_powerless", "Controller moved", "Nobody moved", "no record refuses a write of controller 3"),
    ("controller_powerless", "incremented to 3", "incremented to 4", "no record elects one with epoch 3"),
    ("quorum_without_leader", "29,695", "29,696", "held from"),
    (
        "quorum_without_leader",
        "In the new epoch 48, the leader is (none)",
        "In the new epoch 48, the leader is 2",
        "nobody leads epoch 44, or 48",
    ),
    ("quorum_without_leader", "rejected by [2, 0]", "rejected by [2]", "refusing_ids are [2]"),
    ("quorum_without_leader over", "epoch 49", "epoch 46", "who leads between 44 and 48"),
    ("quorum_without_leader over", "37,480", "37,481", "held from"),
    ("quorum_without_leader over", "the leader is 2", "nobody knows", "no record says who leads next"),
    ("event_failed", "44,470", "44,471", "the first record is of"),
    ("event_failed", "event BrokerChange", "event TopicChange", "failed to handle BrokerChange"),
    ("event_failed of moves", "some partitions", "some replicas", "failed to handle moves of partitions"),
    ("event_failed of moves", "controllerId=102", "controllerId=101", "is of controller 101"),
    ("event_failed", "NoSuchElementException", "KeeperException", "has no java.util.NoSuchElementException"),
    ("failover_slow", "59,702", "59,703", "held from"),
    ("failover_slow", "with epoch 3", "with epoch 4", "no record says that controller 3 was ready"),
]

SAID_WRONGLY = [
    ("deposed_controller_wrote", "late_ms", "4319", "it was 4318 ms"),
    ("deposed_controller_wrote", "writes_count", "0", "1 such records for 0"),
    ("controller_powerless", "controller_id", "2", "no record refuses a write of controller 2"),
    ("controller_powerless", "lasted_ms", "6003", "it was 6002 ms at most"),
    ("quorum_without_leader", "epochs_count", "6", "are not so many epochs"),
    ("quorum_without_leader", "refused_ids", "1,2", "refused_ids are [1]"),
    ("quorum_without_leader over", "lasted_ms", "66429", "it was 66428 ms"),
    ("event_failed", "failures_count", "2", "1 such records for 2"),
    ("event_failed", "controller_id", "101", "is of controller 102"),
    ("failover_slow", "lasted_ms", "92", "it was 91 ms"),
]
