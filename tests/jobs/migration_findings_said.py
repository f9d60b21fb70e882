"""Findings about migrations that wait with the lines that prove them; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.findings_said import finding

# Of 3.9.2 as Kafka wrote them, on another day.
BEGUN = "[2026-11-21 05:00:01,000] INFO [KRaftMigrationDriver id=101] 101 transitioning from WAIT_FOR_CONTROLLER_QUORUM to WAIT_FOR_BROKERS state (org.apache.kafka.metadata.migration.KRaftMigrationDriver)"
WAITS = "[2026-11-21 05:20:01,000] INFO [KRaftMigrationDriver id=101] Still waiting for ZK brokers [2, 3] to register with KRaft. (org.apache.kafka.metadata.migration.KRaftMigrationDriver)"
OVER = "[2026-11-21 05:21:01,000] INFO [KRaftMigrationDriver id=101] 101 transitioning from WAIT_FOR_BROKERS to BECOME_CONTROLLER state (org.apache.kafka.metadata.migration.KRaftMigrationDriver)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "migration_waits": (
        finding("migration_waits", "05:00:01", "05:21:01", controller_id="101", to_state="WAIT_FOR_BROKERS",
            waiting_for="brokers", broker_ids="2,3", lasted_ms="1200000"),
        [BEGUN, WAITS, OVER], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("migration_waits", "brokers [2, 3]", "brokers [2]", "waits for brokers 2"),
    ("migration_waits", "05:20:01", "05:20:02", "1201000 ms"),
    ("migration_waits", "05:21:01", "05:21:02", "no record is of its end"),
    ("migration_waits", "id=101] Still", "id=102] Still", "is not of controller 101"),
]

SAID_WRONGLY = [
    ("migration_waits", "controller_id", "102", "is not of controller 102"),
    ("migration_waits", "waiting_for", "zookeeper", "it waits for"),
    ("migration_waits", "broker_ids", "3", "waits for brokers 2,3"),
    ("migration_waits", "lasted_ms", "1", "1200000 ms"),
]
