"""Moves of Kafka's replica state machine, and attempts at them, as the controller logged them."""

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, FILE_ID, LOAD_SEQ, Field, TableSpec, field, required
from schemas.types import INTEGER, STRING, TIMESTAMP, array

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
        required("logged_at", TIMESTAMP, "When the controller logged it, UTC."),
        field("level", STRING, "Level of the line."),
        field("node_id", INTEGER, "Node whose file holds the line."),
        required("controller_id", INTEGER, "The controller that moved it."),
        field(
            "controller_epoch",
            INTEGER,
            "Its epoch; 1.0 leaves it out on moves to NonExistentPartition.",
        ),
        *object_fields,
        required("from_state", STRING, "State that the controller held before.", accepted=states),
        required("to_state", STRING, "State entered, or wanted where the attempt failed.", accepted=states),
        required(
            "outcome",
            STRING,
            "done: the line says it happened; failed: an ERROR line.",
            accepted=OUTCOMES,
        ),
        field("exception_class", STRING, "Class of the exception below an ERROR line."),
        field("exception_message", STRING, "Its message, first line."),
        field(
            "previous_states",
            array(STRING),
            "Valid previous states that the exception lists.",
        ),
    )


SPEC = TableSpec(
    name="silver.replica_transition",
    grain="One line of state-change.log in which a controller moves one replica, or fails to.",
    key=("file_id", "byte_offset"),
    fields=transition_fields(
        required("topic", STRING, "Topic."),
        required("partition", INTEGER, "Partition."),
        required("replica_id", INTEGER, "Broker of the replica."),
        states=REPLICA_STATES,
    ),
)
