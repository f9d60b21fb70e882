"""Findings about faults of nodes with the lines that prove them, and what must not; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.findings_said import finding

FATAL = """[2026-11-21 09:00:01,001] ERROR Encountered fatal fault: Unexpected error in raft IO thread (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)
java.lang.IllegalStateException: Received request or response with leader OptionalInt[2]"""
STARTED = "[2026-11-21 09:01:00,000] INFO [KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)"
LOGGED = """[2026-11-21 09:00:02,001] ERROR Encountered metadata publishing fault: Error publishing cluster: 1 (org.apache.kafka.server.fault.LoggingFaultHandler)
java.lang.OutOfMemoryError: Java heap space"""
LOGGED_AGAIN = LOGGED.replace("00:02,001", "00:03,001").replace("cluster: 1", "cluster: 2")
SIGNAL = "[2026-11-21 09:01:00,000] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "fatal_fault": (
        finding("fatal_fault", "09:00:01.001", "09:01:00",
            node_id="1", fault="Unexpected error in raft IO thread",
            exception_class="java.lang.IllegalStateException", failures_count="1"),
        [FATAL, STARTED], CONFIRMED,
    ),
    "logged_fault": (
        finding("logged_fault", "09:00:02.001", "09:01:00",
            node_id="2", fault="metadata publishing: Error publishing cluster: 1",
            exception_class="java.lang.OutOfMemoryError", failures_count="2"),
        [LOGGED, LOGGED_AGAIN, SIGNAL], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("fatal_fault", "fatal fault", "metadata loading fault", "a record says no start"),
    ("fatal_fault", "01,001", "01,002", "the first record is of"),
    ("fatal_fault", "IllegalState", "IllegalArgument", "a record has no java.lang.IllegalStateException"),
    ("fatal_fault", "01:00,000", "01:00,001", "by the records it ended"),
    ("logged_fault", "publishing cluster: 1", "loading cluster: 1", "does not say Encountered metadata publishing"),
    ("logged_fault", "02,001", "02,002", "the first record is of"),
    ("logged_fault", "01:00,000", "01:00,001", "by the records it ended"),
]  # fmt: skip

SAID_WRONGLY = [
    ("fatal_fault", "fault", "no fault at all", "does not say Encountered fatal fault: no fault at all"),
    ("fatal_fault", "failures_count", "2", "1 such records for 2"),
    ("logged_fault", "failures_count", "3", "2 such records for 3"),
    ("logged_fault", "exception_class", "java.io.IOException", "a record has no java.io.IOException"),
]
