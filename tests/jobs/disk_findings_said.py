"""Findings about log directories with the lines that prove them, and what must not; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.findings_said import finding

# Of cluster 3.9.1, but for partitions that were moving.
FAILED = """\
[2026-11-21 04:14:26,131] ERROR Error while writing to checkpoint file /data1/replication-offset-checkpoint (org.apache.kafka.storage.internals.log.LogDirFailureChannel)
java.io.IOException: No space left on device
	at java.base/java.io.FileOutputStream.writeBytes(Native Method)"""
STOPPING = "[2026-11-21 04:14:26,136] WARN [ReplicaManager broker=2] Stopping serving replicas in dir /data1 with uuid Some(tHtBXU6uvjksqDSFk0yRxw) because the log directory has failed. (kafka.server.ReplicaManager)"
OFFLINE = "[2026-11-21 04:14:26,193] WARN Logs for partitions sessions-1,page.views-5 are offline and logs for future partitions alerts-0 are offline due to failure on log directory /data1 (kafka.log.LogManager)"
UNTOLD = "[2026-11-21 04:14:26,200] ERROR [ReplicaManager broker=2] Unable to propagate directory failure disabled because directory /data1 has no UUID (kafka.server.ReplicaManager)"
HALTING = "[2026-11-21 04:14:26,300] ERROR Shutdown broker because all log dirs in /data1 have failed (kafka.log.LogManager)"
LOADING = "[2026-11-21 04:14:59,019] INFO Recovering 25 logs from /data1 since no clean shutdown file was found (kafka.log.LogManager)"
STARTED = "[2026-11-21 04:14:59,897] INFO [KafkaServer id=2] started (kafka.server.KafkaServer)"
MARKED = "[2026-11-21 04:14:26,229] INFO [Controller id=1] Mark replicas page.views-4,audit_log-0 on broker 2 as offline (state.change.logger)"
JOINED = "[2026-11-21 04:14:59,800] INFO [Controller id=1] Newly added brokers: 2, deleted brokers: , bounced brokers: , all live brokers: 1,2,3 (kafka.controller.KafkaController)"
REGISTERED = "[2026-11-21 04:14:59,800] INFO [QuorumController id=1] Replayed RegisterBrokerRecord establishing a new incarnation of broker 2: RegisterBrokerRecord(brokerId=2, isMigratingZkBroker=false, incarnationId=cuDyn6HcTYmzxvP8Vl6qQg, brokerEpoch=1112, endPoints=[], features=[], rack=null, fenced=true, inControlledShutdown=false, logDirs=[_U-jhuZXYGOr8y7a9SU0Kg, tHtBXU6uvjksqDSFk0yRxw]) (org.apache.kafka.controller.ClusterControlManager)"
ELECTED = "[2026-11-21 04:16:26,131] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 9 and epoch zk version is now 9 (kafka.controller.KafkaController)"
DECIDED = "[2026-11-21 04:14:26,229] WARN [QuorumController id=1] Directories [tHtBXU6uvjksqDSFk0yRxw] in broker 2 marked offline, remaining directories: [_U-jhuZXYGOr8y7a9SU0Kg] (org.apache.kafka.controller.ReplicationControlManager)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "log_dir_failed": (
        finding("log_dir_failed", "04:14:26.131", "04:14:59.897",
            broker_id="2", log_dirs="/data1", directory_ids="tHtBXU6uvjksqDSFk0yRxw",
            exception_class="java.io.IOException", exception_message="No space left on device",
            replicas_count="2", partitions="page.views-5,sessions-1", moving_count="1",
            is_controller_told="false", is_halted="true", came_back="loaded", lasted_ms="33766"),
        [FAILED, STOPPING, OFFLINE, UNTOLD, HALTING, LOADING, STARTED], CONFIRMED,
    ),
    "log_dir_failed marked": (
        finding("log_dir_failed", "04:14:26.229", None,
            broker_id="2", replicas_count="2", partitions="audit_log-0,page.views-4"),
        [MARKED], CONFIRMED,
    ),
    "log_dir_failed back": (
        finding("log_dir_failed", "04:14:26.229", "04:14:59.800",
            broker_id="2", replicas_count="2", partitions="audit_log-0,page.views-4", came_back="started",
            lasted_ms="33571"),
        [MARKED, JOINED], CONFIRMED,
    ),
    "log_dir_failed shown": (
        finding("log_dir_failed", "04:14:26.131", "04:16:26.131",
            broker_id="2", log_dirs="/data1", directory_ids="tHtBXU6uvjksqDSFk0yRxw",
            exception_class="java.io.IOException", exception_message="No space left on device",
            replicas_count="2", partitions="page.views-5,sessions-1", moving_count="1",
            is_halted="true", came_back="up", at_most_ms="120000"),
        [FAILED, STOPPING, OFFLINE, HALTING, ELECTED], CONFIRMED,
    ),
    "log_dir_failed KRaft": (
        finding("log_dir_failed", "04:14:26.229", "04:14:59.800",
            broker_id="2", directory_ids="tHtBXU6uvjksqDSFk0yRxw", came_back="loaded", lasted_ms="33571"),
        [DECIDED, REGISTERED], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("log_dir_failed", "Error while writing to", "Wrote", "says of no failure"),
    ("log_dir_failed", "No space left", "Some space left", "no record has the exception"),
    ("log_dir_failed", "sessions-1,", "", "1 replicas stand in records"),
    ("log_dir_failed", "sessions-1,", "sessions-2,", "list other partitions"),
    ("log_dir_failed", "alerts-0", "", "0 were moving there"),
    ("log_dir_failed", "59,897", "59,898", "held from"),
    (
        "log_dir_failed",
        "Recovering 25 logs from /data1",
        "Recovering 25 logs from /data0",
        "it is left_out or started",
    ),
    ("log_dir_failed shown", "2 successfully elected", "1 successfully elected", "shows it up at"),
    ("log_dir_failed back", "Newly added brokers: 2", "Newly added brokers: 3", "was there again"),
    ("log_dir_failed KRaft", ", tHtBX", ", uHtBX", "was there again"),
    ("log_dir_failed marked", "on broker 2", "on broker 3", "is not of broker 2"),
]

SAID_WRONGLY = [
    ("log_dir_failed", "broker_id", "1", "is not of broker 1"),
    ("log_dir_failed", "log_dirs", "/data2", "no record names /data2"),
    ("log_dir_failed", "lasted_ms", "33765", "it was 33766 ms"),
    ("log_dir_failed", "came_back", "empty", "it is loaded"),
    ("log_dir_failed shown", "at_most_ms", "123000", "shows it up at"),
    ("log_dir_failed shown", "came_back", "started", "is not named"),
]
