"""What server.log says of a node itself: one row a line, with the other node, the directory, the session."""

import polars as pl
import pytest

from pipeline.silver.node_event import build
from schemas.silver.node_event import SPEC
from tests.rows import declared_rows, records_in

KRAFT = """
    [2026-11-21 09:00:00,001] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)
    [2026-11-21 09:00:00,002] INFO [BrokerServer id=1] shutting down (kafka.server.BrokerServer)
    [2026-11-21 09:00:00,003] INFO [ControllerServer id=1] shutting down (kafka.server.ControllerServer)
    [2026-11-21 09:00:01,001] INFO [RaftManager id=1] Node 3 disconnected. (org.apache.kafka.clients.NetworkClient)
    [2026-11-21 09:00:02,001] INFO [RaftManager id=1] Become candidate due to fetch timeout (org.apache.kafka.raft.KafkaRaftClient)
    [2026-11-21 09:00:03,001] WARN [ReplicaManager broker=1] Stopping serving replicas in dir /data/b (kafka.server.ReplicaManager)
    [2026-11-21 09:00:04,001] INFO [BrokerServer id=1] Transition from STARTING to STARTED (kafka.server.BrokerServer)
"""
ZOOKEEPER = """
    [2026-11-21 09:00:00,001] WARN Unable to reconnect to ZooKeeper service, session 0x100000a1b2c0001 has expired (org.apache.zookeeper.ClientCnxn)
    [2026-11-21 09:00:01,001] INFO [KafkaServer id=2] Starting controlled shutdown (kafka.server.KafkaServer)
    [2026-11-21 09:00:02,001] ERROR Error while creating ephemeral at /brokers/ids/2, node already exists and owner '72057594037927936' does not match current session '72057594037927937' (kafka.zk.KafkaZkClient$CheckedEphemeral)
"""
WANTED = {
    KRAFT: [
        ("process", "signalled", None, None, None, "SIGTERM"),
        ("process", "shutting_down", "broker", None, None, None),
        ("process", "shutting_down", "controller", None, None, None),
        ("quorum", "fetch_timed_out", None, None, None, None),
        ("disk", "stopping", "broker", None, "/data/b", None),
    ],
    ZOOKEEPER: [
        ("session", "expired", None, None, None, None),
        ("shutdown", "asked", "broker", None, None, None),
        ("registration", "owned_by_other", None, None, None, "/brokers/ids/2"),
    ],
}


@pytest.mark.parametrize("text", WANTED, ids=["kraft", "zookeeper"])
def test_a_line_about_the_node_gives_a_row_and_its_state_gives_none(text: str) -> None:
    rows = declared_rows(build(records_in({(1, "server"): text})), SPEC).sort("logged_at")
    said = rows.select("area", "step", "component", "peer_id", "log_dir", "detail").rows()
    assert said == WANTED[text]


def test_sessions_are_kept_as_printed() -> None:
    rows = build(records_in({(1, "server"): ZOOKEEPER})).sort("logged_at")
    sessions = rows.select("session_id", "owner_session_id").filter(pl.col("session_id").is_not_null()).rows()
    assert sessions == [("100000a1b2c0001", None), ("72057594037927937", "72057594037927936")]


QUORUM = """
    [2026-11-21 09:00:01,001] INFO [RaftManager id=1] Election timed out before receiving sufficient vote responses to become candidate. Current epoch election state: EpochElection(voterStates={1=VoterState(replicaKey=ReplicaKey(id=1, directoryId=<undefined>), state=GRANTED), 2=VoterState(replicaKey=ReplicaKey(id=2, directoryId=<undefined>), state=UNRECORDED)}) (org.apache.kafka.raft.KafkaRaftClient)
    [2026-11-21 09:00:02,001] WARN [RaftManager id=1] Detected non-monotonic update of fetch offset from nodeId ReplicaKey(id=2, directoryId=Optional[jT34t8qGqJkQYSu2ZBt5cg]): 179 -> 0 (org.apache.kafka.raft.LeaderState)
    [2026-11-21 09:00:03,001] ERROR Request OutboundRequest(correlationId=7, data=VoteRequestData(clusterId='x', topics=[]), createdTimeMs=1, destination=host:9093 (id: 3 rack: null)) failed due to authentication error (org.apache.kafka.raft.KafkaNetworkChannel)
    [2026-11-21 09:00:04,001] ERROR Request Outbound(correlationId=7, data=VoteRequestData(clusterId='x', topics=[]), createdTimeMs=1, destinationId=2) failed due to unsupported version error (kafka.raft.KafkaNetworkChannel)
    [2026-11-21 09:00:05,001] INFO [RaftManager id=1] Voter key for VOTE or BEGIN_QUORUM_EPOCH request didn't match the receiver's replica key: host:9093 (id: 3 rack: null) (org.apache.kafka.raft.KafkaRaftClient)
    [2026-11-21 09:00:05,501] INFO [RaftManager id=1] Candidate sent a voter key (Optional[ReplicaKey(id=1, directoryId=Optional[jT34])]) in the VOTE request that doesn't match the local key (OptionalInt[1], kU45); rejecting the vote (org.apache.kafka.raft.KafkaRaftClient)
    [2026-11-21 09:00:06,001] ERROR Encountered metadata publishing fault: Error publishing (org.apache.kafka.server.fault.LoggingFaultHandler)
    [2026-11-21 09:00:07,001] ERROR Encountered fatal fault: Unexpected error in raft IO thread (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)
"""


def test_lines_of_the_quorum_name_the_other_voter_and_never_take_it_for_an_epoch() -> None:
    rows = declared_rows(build(records_in({(1, "server"): QUORUM})), SPEC).sort("logged_at")
    assert rows.select("step", "peer_id", "quorum_epoch").rows() == [
        ("election_timed_out", None, None),
        ("voter_lost_data", 2, None),
        ("not_authenticated", 3, None),
        ("version_refused", 2, None),
        ("voter_key_differs", 3, None),
        ("voter_key_differs", 1, None),
        ("fault", None, None),
        ("fatal_fault", None, None),
    ]
    detail = rows["detail"].to_list()
    assert "2=VoterState(replicaKey=ReplicaKey(id=2, directoryId=<undefined>), state=UNRECORDED)" in detail[0]
    assert detail[1] == "0"
    assert detail[5:] == [
        "OptionalInt[1], kU45",
        "metadata publishing: Error publishing",
        "Unexpected error in raft IO thread",
    ]


DISK = """
    [2026-11-21 09:00:00,001] ERROR Error while writing to checkpoint file /data/b-1/replication-offset-checkpoint (org.apache.kafka.storage.internals.log.LogDirFailureChannel)
    [2026-11-21 09:00:00,002] ERROR Error while writing to checkpoint file /data/b-1/t-0/leader-epoch-checkpoint (org.apache.kafka.storage.internals.log.LogDirFailureChannel)
    [2026-11-21 09:00:00,003] ERROR Error while reading partition metadata file /data/b-1/t-0/partition.metadata (org.apache.kafka.storage.internals.log.LogDirFailureChannel)
    [2026-11-21 09:00:00,004] ERROR Error while appending records to t-0 in dir /data/b-1 (org.apache.kafka.storage.internals.log.LogDirFailureChannel)
    [2026-11-21 09:00:00,005] WARN [ReplicaManager broker=1] Stopping serving replicas in dir /data/b-1 with uuid Some(aaaaaaaaaaaaaaaaaaaaaa) because the log directory has failed. (kafka.server.ReplicaManager)
    [2026-11-21 09:00:00,006] WARN Logs for partitions t-0,t-1 are offline and logs for future partitions u-3 are offline due to failure on log directory /data/b-1 (kafka.log.LogManager)
    [2026-11-21 09:00:00,007] ERROR Fail to read meta.properties under log directory /data/b-1 (kafka.server.KafkaServer)
"""


def test_lines_of_one_directory_name_it_alike() -> None:
    """Whichever of its files they print."""
    rows = build(records_in({(1, "server"): DISK})).sort("logged_at")
    assert rows["log_dir"].to_list() == ["/data/b-1"] * 7
    assert rows.select("step", "detail", "future_partitions").rows()[4:] == [
        ("stopping", "Some(aaaaaaaaaaaaaaaaaaaaaa)", None),
        ("partitions_offline", "t-0,t-1", "u-3"),
        ("unreadable", None, None),
    ]
