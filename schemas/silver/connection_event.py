"""What server.log says of a node's connections: to other nodes, and to ZooKeeper."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

PEERS = ("node", "zookeeper")
STEPS = (
    *("failed", "timed_out", "lost", "request_cancelled", "fetch_failed"),
    *("opening", "not_opened", "waiting", "connected", "connection_lost", "server_closed", "silent"),
)

SPEC = TableSpec(
    name="silver.connection_event",
    grain="One line of server.log about a node's connection; of those that cannot be opened the quorum's alone.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required_field("peer", STRING, "What it is connected to.", accepted=PEERS),
        required_field("step", STRING, "What the line says.", accepted=STEPS),
        nullable_field("peer_id", INTEGER, "The other node."),
        nullable_field("client", STRING, "Who connects, as printed."),
    ),
)
