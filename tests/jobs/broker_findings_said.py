"""Findings about brokers with the lines that prove them, and what must not prove them."""

from jobs.verify.proof import CONFIRMED, UNDECIDED, Claim
from tests.jobs.finding_records import LEFT_1
from tests.jobs.findings_said import finding

# Of cluster 2.2.2, and of 3.9.2 in KRaft mode.
LEFT_1_AGAIN = "[2026-11-21 09:00:20,404] INFO [Controller id=2] Newly added brokers: , deleted brokers: 1, bounced brokers: , all live brokers: 2,3 (kafka.controller.KafkaController)"
FENCED_1 = "[2026-11-21 08:03:51,977] INFO [QuorumController id=103] Fencing broker 1 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)"

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
}  # fmt: skip
# (case, what a line says, what it says now, a word of the answer)
ALTERED = [
    ("broker_flapping", "26,395", "26,396", "the first record is of"),
    ("broker_flapping", "20,404", "20,405", "the last record is of"),
    ("unclean_shutdown", "Fencing broker 1", "Fencing broker 2", "no record says that broker 1"),
    ("unclean_shutdown", "51,977", "51,978", "it was gone at"),
]  # fmt: skip
SAID_WRONGLY = [
    ("broker_flapping", "broker_id", "2", "does not say that broker 2 is gone"),
    ("broker_flapping", "departures_count", "1", "2 such records for 1 departures"),
    ("unclean_shutdown", "lasted_ms", "9001", "it was 9000 ms"),
]
