"""Findings about brokers with the lines that prove them, and what must not prove them."""

from jobs.verify.proof import CONFIRMED, UNDECIDED, Claim
from tests.jobs.finding_records import LEFT_1
from tests.jobs.findings_said import finding

# Of cluster 2.2.2, and of 3.9.2 in KRaft mode.
LEFT_1_AGAIN = "[2026-11-21 09:00:20,404] INFO [Controller id=2] Newly added brokers: , deleted brokers: 1, bounced brokers: , all live brokers: 2,3 (kafka.controller.KafkaController)"
FENCED_1 = "[2026-11-21 08:03:51,977] INFO [QuorumController id=103] Fencing broker 1 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)"
GAVE_UP_1 = "[2026-11-21 08:03:50,211] ERROR [BrokerServer id=1] Timed out waiting for the controller to approve controlled shutdown (kafka.server.BrokerServer)"
CHANGED_35 = "[2026-11-21 08:03:51,988] INFO [QuorumController id=103] handleBrokerFenced: changing 35 partition(s) (org.apache.kafka.controller.ReplicationControlManager)"
UNFENCED_1 = "[2026-11-21 08:03:30,120] INFO [QuorumController id=103] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 313. (org.apache.kafka.controller.BrokerHeartbeatManager)"
BACK_1 = UNFENCED_1.replace("08:03:30,120", "08:04:01,977")
ANOTHER_1 = BACK_1.replace("record 313", "record 551")
RUNNING_1 = "[2026-11-21 08:04:01,977] INFO [BrokerLifecycleManager id=1] The broker has been unfenced. Transitioning from RECOVERY to RUNNING. (kafka.server.BrokerLifecycleManager)"
REGISTERED_1 = "[2026-11-21 08:04:00,911] INFO [QuorumController id=103] Replayed RegisterBrokerRecord establishing a new incarnation of broker 1: RegisterBrokerRecord(brokerId=1, isMigratingZkBroker=false, incarnationId=Tj9BQEWkQlqiitLypE5Jgg, brokerEpoch=551, endPoints=[]) (org.apache.kafka.controller.ClusterControlManager)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "broker_flapping": (
        finding("broker_flapping", "08:59:26.395", "09:00:20.404",
            broker_id="1", departures_count="2", shortest_ms="7512"),
        [LEFT_1, LEFT_1_AGAIN], CONFIRMED,
    ),
    "unclean_shutdown": (
        finding("unclean_shutdown", "08:03:42.977", "08:03:51.977",
            broker_id="1", unmoved_count="3", led_count="14", lasted_ms="9000"),
        [FENCED_1], UNDECIDED,
    ),
    "unclean_shutdown given up": (
        finding("unclean_shutdown", "08:03:42.977", "08:03:51.977",
            broker_id="1", unmoved_count="3", led_count="14", lasted_ms="9000", is_given_up="true"),
        [FENCED_1, GAVE_UP_1], UNDECIDED,
    ),
    "broker_fenced": (
        finding("broker_fenced", "08:03:51.977", "08:04:01.977",
            broker_id="1", changed_count="35", lasted_ms="10000", is_same_process="true"),
        [FENCED_1, CHANGED_35, BACK_1, UNFENCED_1], CONFIRMED,
    ),
    "broker_fenced another process": (
        finding("broker_fenced", "08:03:51.977", "08:04:01.977",
            broker_id="1", lasted_ms="10000", is_same_process="false"),
        [FENCED_1, ANOTHER_1, REGISTERED_1], CONFIRMED,
    ),
    "broker_fenced by its own line": (
        finding("broker_fenced", "08:03:51.977", "08:04:01.977", broker_id="1", lasted_ms="10000"),
        [FENCED_1, RUNNING_1], CONFIRMED,
    ),
    "broker_fenced still": (
        finding("broker_fenced", "08:03:51.977", None, broker_id="1", changed_count="35"),
        [FENCED_1, CHANGED_35], CONFIRMED,
    ),
}  # fmt: skip
# (case, what a line says, what it says now, a word of the answer)
ALTERED = [
    ("broker_flapping", "26,395", "26,396", "the first record is of"),
    ("broker_flapping", "20,404", "20,405", "the last record is of"),
    ("unclean_shutdown", "Fencing broker 1", "Fencing broker 2", "no record says that broker 1"),
    ("unclean_shutdown", "51,977", "51,978", "it was gone at"),
    ("unclean_shutdown given up", "Timed out", "Waited", "no record says that broker 1 gave up"),
    ("broker_fenced", "Fencing broker 1", "Fencing broker 2", "0 records say that broker 1 is fenced"),
    ("broker_fenced", "changing 35", "changing 34", "it changed [34]"),
    ("broker_fenced", "01,977", "01,978", "it was unfenced at"),
    ("broker_fenced", "30,120", "59,120", "2 records say that broker 1 is unfenced"),
    ("broker_fenced another process", "brokerEpoch=551", "brokerEpoch=552", "no record says that another process"),
    ("broker_fenced by its own line", "id=1]", "id=2]", "0 records say that broker 1 is unfenced"),
]  # fmt: skip
SAID_WRONGLY = [
    ("broker_flapping", "broker_id", "2", "does not say that broker 2 is gone"),
    ("broker_flapping", "departures_count", "1", "2 such records for 1 departures"),
    ("unclean_shutdown", "lasted_ms", "9001", "it was 9000 ms"),
    ("broker_fenced", "broker_id", "2", "0 records say that broker 2 is fenced"),
    ("broker_fenced", "changed_count", "36", "it changed [35]"),
    ("broker_fenced", "lasted_ms", "10001", "it was 10000 ms"),
    ("broker_fenced", "is_same_process", "false", "it was unfenced as registered by 313"),
    ("broker_fenced another process", "is_same_process", "true", "it was unfenced as registered by 551"),
]
