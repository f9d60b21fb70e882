"""Moves of Kafka's partition state machine, and attempts at them, as the controller logged them."""

from schemas.silver.replica_transition import transition_fields
from schemas.spec import BROKER_IDS, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

PARTITION_STATES = ("NewPartition", "OnlinePartition", "OfflinePartition", "NonExistentPartition")

SPEC = TableSpec(
    name="silver.partition_transition",
    grain="One line of state-change.log in which a controller moves one partition, or fails to.",
    key=("file_id", "byte_offset"),
    fields=(
        *transition_fields(
            required_field("topic", STRING, "Topic."),
            required_field("partition", INTEGER, "Partition."),
            states=PARTITION_STATES,
        ),
        nullable_field("leader", INTEGER, "Leader that the line names."),
        nullable_field("leader_epoch", INTEGER, "Leader epoch that the line names (from 1.1)."),
        nullable_field("isr", BROKER_IDS, "In-sync replicas that the line names (from 1.1)."),
        nullable_field(
            "replicas", BROKER_IDS, "Assigned replicas that the line names, preferred leader first."
        ),
    ),
)
