"""The states that a controller printed of all its replicas or partitions when a state machine started."""

from schemas.silver.partition_transition import PARTITION_STATES
from schemas.silver.replica_transition import REPLICA_STATES
from schemas.spec import (
    BYTE_OFFSET,
    CLUSTER_ID,
    FILE_ID,
    LOAD_SEQ,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, INTEGER, STRING, TIMESTAMP

SPEC = TableSpec(
    name="silver.state_dump",
    grain="One replica or partition with its state in one line 'Started ... state machine with initial state'.",
    key=("file_id", "byte_offset", "topic", "partition", "replica_id"),
    fields=(
        CLUSTER_ID,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required_field("logged_at", TIMESTAMP, "When it was logged, UTC."),
        nullable_field("node_id", INTEGER, "Node whose file holds the line."),
        nullable_field("controller_id", INTEGER, "The controller whose machine starts."),
        required_field("machine", STRING, "Which state machine starts.", accepted=("replica", "partition")),
        required_field("topic", STRING, "Topic."),
        required_field("partition", INTEGER, "Partition."),
        nullable_field(
            "replica_id", INTEGER, "Broker of the replica; null where a partition's state is said."
        ),
        required_field(
            "state",
            STRING,
            "State that the controller holds, Kafka's name.",
            accepted=(*REPLICA_STATES, *PARTITION_STATES),
        ),
        required_field(
            "is_complete",
            BOOLEAN,
            "The line is whole and all of it was read: what it does not name did not exist. "
            "A cut one proves only what it shows.",
        ),
    ),
    checks=(Check("replicas_have_a_broker", "(machine = 'replica') = (replica_id IS NOT NULL)"),),
)
