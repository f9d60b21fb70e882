"""Findings about brokers with the lines that prove them, and what must not prove them."""

from jobs.proof import CONFIRMED, UNDECIDED, Claim
from tests.jobs.finding_records import LEFT_1
from tests.jobs.findings_said import finding

# Of cluster 2.2.2, and of 3.9.2 in KRaft mode.
LEFT_1_AGAIN = "[2026-11-21 09:00:20,404] INFO [Controller id=2] Newly added brokers: , deleted brokers: 1, bounced brokers: , all live brokers: 2,3 (kafka.controller.KafkaController)"
FENCED_1 = "[2026-11-21 08:03:51,977] INFO [QuorumController id=103] Fencing broker 1 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "broker_flapping": (
        finding("broker_flapping", "broker 1",
            "broker 1 left 2 times without having been shut down, there for 7.5 s at the shortest",
            "08:59:26.395", "09:00:20.404"),
        [LEFT_1, LEFT_1_AGAIN], CONFIRMED,
    ),
    "unclean_shutdown": (
        finding("unclean_shutdown", "broker 1",
            "broker 1 asked to be shut down and left 3 of 14 partition(s) without a leader that have other replicas, "
            "9.0 s later", "08:03:42.977", "08:03:51.977"),
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
    ("broker_flapping", "broker 1 left", "broker 2 left", "does not say that broker 2 is gone"),
    ("broker_flapping", "left 2 times", "left 1 times", "2 such records for 1 departures"),
]
