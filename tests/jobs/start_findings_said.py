"""Findings about failed starts with the lines that prove them, and what must not; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.findings_said import finding

# Of 3.9.1 and 2.2.2 as Kafka wrote them, on another day.
BELOW = "\norg.apache.zookeeper.KeeperException$NodeExistsException: KeeperErrorCode = NodeExists\n\tat org.apache.zookeeper.KeeperException.create(KeeperException.java:125)"
LIFE = "[2026-11-21 04:15:28,507] INFO Session establishment complete on server /127.0.0.1:21000, session id = 0x10000dab4af000f, negotiated timeout = 6000 (org.apache.zookeeper.ClientCnxn)"
OWNED = "[2026-11-21 04:16:07,304] ERROR Error while creating ephemeral at /brokers/ids/3, node already exists and owner '0x10000dab4af000f' does not match current session '0x10000dab4af0011' (kafka.zk.KafkaZkClient$CheckedEphemeral)"
FAILED_1 = (
    "[2026-11-21 04:16:07,308] ERROR [KafkaServer id=3] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)"
    + BELOW
)
FAILED_2 = FAILED_1.replace("07,308", "10,530")
UP = "[2026-11-21 04:16:13,594] INFO [KafkaServer id=3] started (kafka.server.KafkaServer)"
OLD_LIFE = "[2026-11-21 04:26:59,513] INFO Session establishment complete on server localhost/127.0.0.1:21000, sessionid = 0x10000e641460009, negotiated timeout = 6000 (org.apache.zookeeper.ClientCnxn)"
OLD_OWNED = OWNED.replace("0x10000dab4af000f", "72058582975512585").replace(
    "0x10000dab4af0011", "72058582975512586"
)
ACCEPTOR = "[2026-11-21 05:00:01,000] ERROR Unable to start acceptor for ListenerName(PLAINTEXT) (kafka.network.DataPlaneAcceptor)\norg.apache.kafka.common.KafkaException: Socket server failed to bind to kafka-1:9092: Address already in use."
BROKER = "[2026-11-21 05:00:01,010] ERROR [BrokerServer id=1] Fatal error during broker startup. Prepare to shutdown (kafka.server.BrokerServer)\njava.lang.RuntimeException: Received a fatal error"
GAVE_UP = "[2026-11-21 05:00:01,000] ERROR [BrokerLifecycleManager id=1] Shutting down because we were unable to register with the controller quorum. (kafka.server.BrokerLifecycleManager)"
BEGUN = "[2026-11-21 04:59:01,000] INFO [BrokerServer id=1] Starting broker (kafka.server.BrokerServer)"
HEARD = "[2026-11-21 05:01:00,000] INFO [Controller id=9] Newly added brokers: 1, deleted brokers: , bounced brokers: , all live brokers: 1,9 (kafka.controller.KafkaController)"
NO_CAUSE = "[2026-11-21 05:00:01,000] ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\njava.lang.IllegalStateException: x"

VOTERS = "[2026-11-21 05:00:01,000] ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.lang.IllegalStateException: Configured voter set: [0, 1] is different from the voter set read from the state file: [0]. Check if the quorum configuration is up to date, or wipe out the local state file if necessary"
ELECTED = "[2026-11-21 05:02:34,950] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 9 and epoch zk version is now 9 (kafka.controller.KafkaController)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "failed_start": (
        finding("failed_start", "04:16:07.308", "04:16:13.594",
            node_id="3", cause="cause_broker_id_taken", failures_count="2", failing_ms="3222", lasted_ms="6286",
            owner_session="10000dab4af000f", owner_node_id="3"),
        [FAILED_1, OWNED, LIFE, FAILED_2, UP], CONFIRMED,
    ),
    "failed_start 2.2": (
        finding("failed_start", "04:16:07.308", "04:16:13.594",
            node_id="3", cause="cause_broker_id_taken", failures_count="1", lasted_ms="6286",
            owner_session="72058582975512585", owner_node_id="3"),
        [FAILED_1, OLD_OWNED, OLD_LIFE, UP], CONFIRMED,
    ),
    "failed_start KRaft": (
        finding("failed_start", "05:00:01.000", None, node_id="1", cause="cause_bind_failed", failures_count="1"),
        [ACCEPTOR, BROKER], CONFIRMED,
    ),
    "failed_start heard": (
        finding("failed_start", "05:00:01.000", "05:01:00",
            node_id="1", cause="registration_timed_out", failures_count="1", lasted_ms="59000"),
        [GAVE_UP, BEGUN, HEARD], CONFIRMED,
    ),
    "failed_start shown": (
        finding("failed_start", "05:00:01.000", "05:02:34.950",
            node_id="1", cause="not_told", failures_count="1", at_most_ms="153950"),
        [NO_CAUSE, ELECTED], CONFIRMED,
    ),
    "failed_start over": (
        finding("failed_start", "05:00:01.000", "05:00:01.000", node_id="1", cause="not_told", failures_count="1"),
        [NO_CAUSE], CONFIRMED,
    ),
    "failed_start unnamed": (
        finding("failed_start", "05:00:01.000", None, cause="cause_voters_differ", failures_count="1"),
        [VOTERS], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("failed_start", "07,308", "07,309", "3222 ms after the first"),
    ("failed_start", "13,594", "13,595", "came up at"),
    ("failed_start", "13,594] INFO [KafkaServer id=3] started", "13,594] INFO [KafkaServer id=3] starting", "came up at"),
    ("failed_start", "node already exists and owner '0x10000dab4af000f'", "node already exists and owner '0x10000dab4af000e'", "held the id"),
    ("failed_start", "session id = 0x10000dab4af000f", "session id = 0x10000dab4af000e", "was established"),
    ("failed_start", "10,530] ERROR [KafkaServer id=3]", "10,530] ERROR [KafkaServer id=2]", "of other nodes"),
    ("failed_start 2.2", "sessionid = 0x10000e641460009", "sessionid = 0x10000e641460008", "was established"),
    ("failed_start KRaft", "failed to bind to", "could not bind to", "no record says that a start failed"),
    ("failed_start KRaft", "01,000", "01,001", "held from"),
    ("failed_start KRaft", "Fatal error during", "Something during", "is of a start"),
    ("failed_start heard", "Newly added brokers: 1, deleted brokers: , bounced brokers: , all live brokers: 1,9", "Newly added brokers: 9, deleted brokers: , bounced brokers: , all live brokers: 9", "came up at"),
    ("failed_start heard", "unable to register", "able to register", "no record says that a start failed"),
    ("failed_start shown", "1 successfully elected", "2 successfully elected", "shows it up at"),
    ("failed_start shown", "05:02:34,950", "05:02:36,950", "shows it up at"),
    ("failed_start unnamed", "is different from", "is that of", "no record says that a start failed"),
    ("failed_start over", "java.lang.IllegalStateException: x", "java.io.IOException: No space left on device", "no record says that a start failed"),
]  # fmt: skip

SAID_WRONGLY = [
    ("failed_start", "cause", "cause_lock_held", "failed for cause_lock_held"),
    ("failed_start", "node_id", "2", "of other nodes"),
    ("failed_start", "failures_count", "1", "of more starts than 1"),
    ("failed_start", "failing_ms", "3223", "3223 ms after the first"),
    ("failed_start", "lasted_ms", "6287", "came up at"),
    ("failed_start", "owner_session", "10000dab4af000e", "held the id"),
    ("failed_start shown", "at_most_ms", "163950", "shows it up at"),
    ("failed_start KRaft", "cause", "registration_timed_out", "failed for registration_timed_out"),
]
