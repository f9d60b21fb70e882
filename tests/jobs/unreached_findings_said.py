"""Findings about nodes out of reach of the quorum with the lines that prove them; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.findings_said import finding

# Of 3.9.2 and 4.0.0 as Kafka wrote them, on another day.
WAITS = "[2026-11-21 05:00:01,000] INFO [MetadataLoader id=4] initializeNewPublishers: the loader is still catching up because we still don't know the high water mark yet. (org.apache.kafka.image.loader.MetadataLoader)"
WAITS_STILL = WAITS.replace("00:01,000", "01:11,000")
UNREACHED = "[2026-11-21 05:00:01,500] WARN [RaftManager id=4] Connection to node 2 (/127.0.0.1:30102) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)"
REACHED = "[2026-11-21 05:01:12,000] INFO [MetadataLoader id=4] initializeNewPublishers: The loader is still catching up because we have loaded up to offset -1, but the high water mark is 9 (org.apache.kafka.image.loader.MetadataLoader)"
TIMED_OUT = "[2026-11-21 05:00:01,000] ERROR [ControllerRegistrationManager id=4 incarnation=AmWCf053RvikDU9KphtiHQ] RegistrationResponseHandler: channel manager timed out before sending the request. (kafka.server.ControllerRegistrationManager)"

UNRESOLVED = "[2026-11-21 05:00:00,000] WARN [NodeToControllerChannelManager id=4 name=registration] Error connecting to node controller-3.example:9090 (id: 3 rack: null isFenced: false) (org.apache.kafka.clients.NetworkClient)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "quorum_not_reached": (
        finding("quorum_not_reached", "05:00:01", "05:01:12",
            node_id="4", kind="no_high_watermark", lasted_ms="70000", unanswered_ids="2"),
        [WAITS, WAITS_STILL, UNREACHED, REACHED], CONFIRMED,
    ),
    "quorum_not_reached registration": (
        finding("quorum_not_reached", "05:00:01", None, node_id="4", kind="not_registered", lasted_ms="0"),
        [TIMED_OUT], CONFIRMED,
    ),
    "quorum_not_reached registration of whom": (
        finding("quorum_not_reached", "05:00:01", None,
            node_id="4", kind="not_registered", lasted_ms="0", unanswered_ids="3"),
        [TIMED_OUT, UNRESOLVED], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("quorum_not_reached", "01:11,000", "01:11,001", "70001 ms"),
    ("quorum_not_reached", "05:01:12,000", "05:01:13,000", "no record is of"),
    ("quorum_not_reached", "to node 2", "to node 3", "by the records they are [3]"),
    ("quorum_not_reached", "[RaftManager id=4]", "[RaftManager id=5]", "is of node 5"),
    ("quorum_not_reached registration of whom", "(id: 3", "(id: 2", "by the records they are [2]"),
    ("quorum_not_reached registration of whom", "Manager id=4 name", "Manager id=5 name", "is of node 5"),
    ("quorum_not_reached registration", "timed out", "sent", "says nothing of it"),
]

SAID_WRONGLY = [
    ("quorum_not_reached", "node_id", "3", "is of node 4"),
    ("quorum_not_reached", "unanswered_ids", "1", "by the records they are [2]"),
    ("quorum_not_reached", "lasted_ms", "70001", "by the records it was 70000 ms"),
    ("quorum_not_reached registration", "kind", "no_high_watermark", "says nothing of it"),
]
