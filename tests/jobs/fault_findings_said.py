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

LOST_2 = "[2026-11-21 09:02:00,000] WARN [RaftManager id=1] Detected non-monotonic update of fetch offset from nodeId ReplicaKey(id=2, directoryId=Optional[jT34t8qGqJkQYSu2ZBt5cg]): 179 -> 0 (org.apache.kafka.raft.LeaderState)"
KEY_2 = "[2026-11-21 09:03:00,000] INFO [RaftManager id=2] A replica 1 sent a voter key (Optional[ReplicaKey(id=2, directoryId=Optional[jT34])]) in the VOTE request that doesn't match the local key (OptionalInt[2], kU45); rejecting the vote (org.apache.kafka.raft.KafkaRaftClient)"
KEY_OF_2 = "[2026-11-21 09:04:00,000] INFO [RaftManager id=1] Voter key for VOTE or BEGIN_QUORUM_EPOCH request didn't match the receiver's replica key: host:9093 (id: 2 rack: null) (org.apache.kafka.raft.KafkaRaftClient)"
REFUSED_3 = "[2026-11-21 09:05:00,000] ERROR Request OutboundRequest(correlationId=7, data=VoteRequestData(clusterId='x'), createdTimeMs=1, destination=host:9093 (id: 3 rack: null)) failed due to authentication error (org.apache.kafka.raft.KafkaNetworkChannel)"
REFUSED_2 = "[2026-11-21 09:06:00,000] ERROR [RaftManager id=1] Connection to node 2 (host/127.0.0.1:9093) failed authentication due to: SSL handshake failed (org.apache.kafka.clients.NetworkClient)"
OTHER_CLUSTER = "[2026-11-21 09:07:00,000] ERROR [RaftManager id=1] Unexpected error INCONSISTENT_CLUSTER_ID in FETCH response: InboundResponse(correlationId=7, data=FetchResponseData(errorCode=104), sourceId=2) (org.apache.kafka.raft.KafkaRaftClient)"

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
    "voter_data": (
        finding("voter_data", "09:02:00", "09:02:00", voter_id="2", kind="lost_data", failures_count="1"),
        [LOST_2], CONFIRMED,
    ),
    "voter_data key": (
        finding("voter_data", "09:03:00", "09:04:00", voter_id="2", kind="key_differs", failures_count="2"),
        [KEY_2, KEY_OF_2], CONFIRMED,
    ),
    "voter_refused": (
        finding("voter_refused", "09:05:00", None,
            voter_id="1", refusing_ids="2,3", kind="authentication", failures_count="2"),
        [REFUSED_3, REFUSED_2], CONFIRMED,
    ),
    "voter_refused cluster": (
        finding("voter_refused", "09:07:00", None, voter_id="1", refusing_ids="2", kind="cluster_id", failures_count="1"),
        [OTHER_CLUSTER], CONFIRMED,
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
ALTERED += [
    ("voter_refused cluster", "INCONSISTENT_CLUSTER_ID", "INVALID_REQUEST", "refuses nothing of the kind"),
    ("voter_refused cluster", "sourceId=2", "sourceId=3", "nodes [3] refuse it"),
    ("voter_data", "ReplicaKey(id=2", "ReplicaKey(id=3", "does not say so of the voter"),
    ("voter_data", "02:00,000", "02:00,001", "the first record is of"),
    ("voter_data key", "receiver's replica key", "sender's replica key", "does not say so of the voter"),
    ("voter_data key", "04:00,000", "04:00,001", "the last record is of"),
    ("voter_refused", "authentication error", "unsupported version error", "refuses nothing of the kind"),
    ("voter_refused", "to node 2", "to node 4", "nodes [3, 4] refuse it"),
    ("voter_refused", "05:00,000", "05:00,001", "the first record is of"),
]

SAID_WRONGLY = [
    ("voter_data", "kind", "append_failed", "does not say so of the voter"),
    ("voter_data", "failures_count", "2", "1 such records for 2"),
    ("voter_refused", "voter_id", "2", "is of node 1"),
    ("voter_refused", "refusing_ids", "2,3,4", "no record tells of all of"),
    ("fatal_fault", "fault", "no fault at all", "does not say Encountered fatal fault: no fault at all"),
    ("fatal_fault", "failures_count", "2", "1 such records for 2"),
    ("logged_fault", "failures_count", "3", "2 such records for 3"),
    ("logged_fault", "exception_class", "java.io.IOException", "a record has no java.io.IOException"),
]
