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
    [2026-11-21 09:00:00,001] WARN Client session timed out, have not heard from server in 12013ms for session id 0x100000a1b2c0001 (org.apache.zookeeper.ClientCnxn)
    [2026-11-21 09:00:01,001] INFO [KafkaServer id=2] Starting controlled shutdown (kafka.server.KafkaServer)
    [2026-11-21 09:00:02,001] ERROR Error while creating ephemeral at /brokers/ids/2, node already exists and owner '72057594037927936' does not match current session '72057594037927937' (kafka.zk.KafkaZkClient$CheckedEphemeral)
"""
WANTED = {
    KRAFT: [
        ("process", "signalled", None, None, None, "SIGTERM"),
        ("process", "shutting_down", "broker", None, None, None),
        ("process", "shutting_down", "controller", None, None, None),
        ("connection", "lost", None, 3, None, "RaftManager id=1"),
        ("quorum", "fetch_timed_out", None, None, None, None),
        ("disk", "stopping", "broker", None, "/data/b", None),
    ],
    ZOOKEEPER: [
        ("session", "silent", None, None, None, None),
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
