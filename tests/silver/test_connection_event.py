"""What server.log says of a node's connections: one row a line, and none for what is repeated for hours."""

from pipeline.silver.connection_event import build
from pipeline.silver.node_event import build as node_event
from schemas.silver.connection_event import SPEC
from tests.rows import declared_rows, records_in

LINES = """
    [2026-11-21 09:00:00,001] WARN Client session timed out, have not heard from server in 12013ms for session id 0x100000a1b2c0001 (org.apache.zookeeper.ClientCnxn)
    [2026-11-21 09:00:01,001] INFO [RaftManager id=1] Node 3 disconnected. (org.apache.kafka.clients.NetworkClient)
    [2026-11-21 09:00:02,001] WARN [RaftManager id=1] Connection to node 3 (host/10.0.0.3:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)
    [2026-11-21 09:00:03,001] WARN [ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Connection to node 3 (host/10.0.0.3:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)
    [2026-11-21 09:00:04,001] INFO [SocketServer listenerType=BROKER, nodeId=1] Failed authentication with /10.0.0.9 (channelId=1) (SSL handshake failed) (org.apache.kafka.common.network.Selector)
    [2026-11-21 09:00:05,001] INFO [RaftManager id=1] Failed authentication with host/10.0.0.3 (channelId=3) (SSL handshake failed) (org.apache.kafka.common.network.Selector)
"""


def test_connections_that_cannot_be_opened_are_kept_of_the_quorum_alone() -> None:
    rows = declared_rows(build(records_in({(1, "server"): LINES})), SPEC).sort("logged_at")
    assert rows.select("peer", "step", "peer_id", "client").rows() == [
        ("zookeeper", "silent", None, None),
        ("node", "lost", 3, "RaftManager id=1"),
        ("node", "failed", 3, "RaftManager id=1"),
    ]


def test_of_refused_credentials_those_of_the_quorum_are_kept() -> None:
    rows = node_event(records_in({(1, "server"): LINES}))
    assert rows.select("area", "step", "detail").rows() == [
        ("connection", "not_authenticated", "RaftManager id=1")
    ]
