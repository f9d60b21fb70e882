"""Moves of Kafka's replica state machine, and attempts at them, as the controller logged them."""

from schemas.spec import (
    BYTE_OFFSET,
    CLUSTER_ID,
    FILE_ID,
    LOAD_SEQ,
    Field,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import INTEGER, STRING, TIMESTAMP, array_type

REPLICA_STATES = (
    "NewReplica",
    "OnlineReplica",
    "OfflineReplica",
    "ReplicaDeletionStarted",
    "ReplicaDeletionSuccessful",
    "ReplicaDeletionIneligible",
    "NonExistentReplica",
)
OUTCOMES = ("done", "failed")


def transition_fields(*object_fields: Field, states: tuple[str, ...]) -> tuple[Field, ...]:
    """The columns that a move of either machine has; `object_fields` name what moved."""
    return (
        CLUSTER_ID,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required_field("logged_at", TIMESTAMP, "When the controller logged it, UTC."),
        nullable_field("level", STRING, "Level of the line."),
        nullable_field("node_id", INTEGER, "Node whose file holds the line."),
        required_field("controller_id", INTEGER, "The controller that moved it."),
        nullable_field(
            "controller_epoch",
            INTEGER,
            "Its epoch; 1.0 leaves it out on moves to NonExistentPartition.",
        ),
        *object_fields,
        required_field("from_state", STRING, "State that the controller held before.", accepted=states),
        required_field(
            "to_state", STRING, "State entered, or wanted where the attempt failed.", accepted=states
        ),
        required_field(
            "outcome",
            STRING,
            "done: the line says it happened; failed: an ERROR line.",
            accepted=OUTCOMES,
        ),
        nullable_field("exception_class", STRING, "Class of the exception below an ERROR line."),
        nullable_field("exception_message", STRING, "Its message, first line."),
        nullable_field(
            "previous_states",
            array_type(STRING),
            "Valid previous states that the exception lists.",
        ),
    )


SPEC = TableSpec(
    name="silver.replica_transition",
    grain="One line of state-change.log in which a controller moves one replica, or fails to.",
    key=("file_id", "byte_offset"),
    fields=transition_fields(
        required_field("topic", STRING, "Topic."),
        required_field("partition", INTEGER, "Partition."),
        required_field("replica_id", INTEGER, "Broker of the replica."),
        states=REPLICA_STATES,
    ),
)
