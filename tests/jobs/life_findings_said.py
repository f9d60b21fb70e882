"""Findings about lives of clusters with the lines that prove them, and what must not; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, UNDECIDED, Claim
from tests.jobs.findings_said import finding

OLD = "[2026-11-21 14:49:20,854] INFO [QuorumController id=0] Creating new QuorumController with clusterId 5hB35yl2S0OprtlCchJeVQ (org.apache.kafka.controller.QuorumController)"
NEW = "[2026-11-21 14:52:45,510] INFO [QuorumController id=0] Creating new QuorumController with clusterId KeV_Kj-4QBmE7jRYmen2pg (org.apache.kafka.controller.QuorumController)"
EPOCH_11 = "[2026-11-21 14:20:00,100] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 11 and epoch zk version is now 11 (kafka.controller.KafkaController)"
EPOCH_1 = "[2026-11-21 14:30:00,100] INFO [Controller id=3] 3 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)"
ELECTED_2 = "[2026-11-21 14:20:00,050] INFO [Controller 2]: 2 successfully elected as the controller (kafka.controller.KafkaController)"
OLD_1 = "[2026-11-21 14:20:00,060] INFO [Controller 2]: Controller 2 incremented epoch to 1 (kafka.controller.KafkaController)"
ELECTED_3 = ELECTED_2.replace("14:20", "14:30").replace("2]: 2", "3]: 3")
NEW_1 = OLD_1.replace("14:20", "14:30").replace("2]: Controller 2", "3]: Controller 3")
REFUSED_1 = "[2026-11-21 14:49:22,715] INFO [QuorumController id=0] registerBroker: event failed with DuplicateBrokerRegistrationException in 1374 microseconds. Exception message: Another broker is registered with that broker id. (org.apache.kafka.controller.QuorumController)"
REFUSED_2 = REFUSED_1.replace("22,715", "29,144")
HANDLERS_2 = (
    "[2026-11-21 14:31:02,384] INFO [Controller id=2] Registering handlers (kafka.controller.KafkaController)"
)
HANDLERS_1 = HANDLERS_2.replace("02,384", "09,758").replace("id=2", "id=1")
ALONE_1 = "[2026-11-21 14:31:10,142] INFO [Controller id=1] Currently active brokers in the cluster: Set(1) (kafka.controller.KafkaController)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "new_life": (
        finding("new_life", "14:52:45.510", "14:52:45.510",
            node_id="0", old_cluster="5hB35yl2S0OprtlCchJeVQ", new_cluster="KeV_Kj-4QBmE7jRYmen2pg"),
        [OLD, NEW], CONFIRMED,
    ),
    "new_life epochs": (
        finding("new_life", "14:30:00.100", "14:30:00.100",
            controller_id="3", controller_epoch="1", old_epoch="11"),
        [EPOCH_11, EPOCH_1], CONFIRMED,
    ),
    "new_life in 1.0": (
        finding("new_life", "14:30:00.050", "14:30:00.050", controller_id="3", controller_epoch="1", old_epoch="1"),
        [ELECTED_2, OLD_1, ELECTED_3, NEW_1], CONFIRMED,
    ),
    "new_life alone": (
        finding("new_life", "14:30:00.100", "14:30:00.100",
            controller_id="3", controller_epoch="1", old_epoch="11"),
        [EPOCH_1], UNDECIDED,
    ),
    "refused_registration": (
        finding("refused_registration", "14:49:22.715", "14:49:29.144",
            broker_id="0", refused_count="2", lasted_ms="6429"),
        [REFUSED_1, REFUSED_2], CONFIRMED,
    ),
    "controllers_apart": (
        finding("controllers_apart", "14:31:09.758", "14:31:10.142", controller_id="1", other_id="2"),
        [HANDLERS_2, HANDLERS_1, ALONE_1], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("new_life", "KeV_", "keV_", "no record says cluster"),
    ("new_life", "id=0] Creating new QuorumController with clusterId K", "id=1] Creating new QuorumController with clusterId K", "of other nodes"),
    ("new_life", "14:52:45,510", "14:52:45,511", "held from"),
    ("new_life", "14:49:20", "14:59:20", "another order"),
    ("new_life epochs", "14:20:00", "14:40:00", "another order"),
    ("new_life epochs", "to 11", "to 10", "elects one with epoch 11"),
    ("new_life in 1.0", "14:30:00,050", "14:30:00,051", "held from"),
    ("new_life in 1.0", "14:30:00,060", "14:19:00,060", "no record elects 3"),
    ("refused_registration", "29,144] INFO [QuorumController id=0] registerBroker", "29,144] INFO [QuorumController id=0] heartbeat", "refuses no broker"),
    ("refused_registration", "22,715", "22,716", "is not the first"),
    ("refused_registration", "29,144", "29,145", "held from"),
    ("controllers_apart", "Set(1)", "Set(1, 2)", "1 found itself alone"),
    ("controllers_apart", "02,384", "12,384", "another order"),
    ("controllers_apart", "id=2] Registering", "id=2] Looking at", "then 1 took over"),
    ("controllers_apart", "09,758", "09,759", "held from"),
]  # fmt: skip

SAID_WRONGLY = [
    ("new_life", "new_cluster", "KeV_Kj-4QBmE7jRYmen2ph", "no record says cluster"),
    ("new_life", "node_id", "1", "of other nodes"),
    ("new_life epochs", "old_epoch", "10", "elects one with epoch 10"),
    ("new_life epochs", "controller_id", "2", "no record elects 2"),
    ("refused_registration", "refused_count", "1", "2 records for 1"),
    ("refused_registration", "lasted_ms", "6430", "it was 6429 ms"),
    ("controllers_apart", "other_id", "3", "that 3, then 1 took over"),
    ("controllers_apart", "controller_id", "2", "that 2, then 2 took over"),
]
