"""Moves of Kafka's replica state machine, and attempts at them, as the controller logged them."""

from pyspark.sql.types import ArrayType, IntegerType, StringType, TimestampType

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, FILE_ID, LOAD_SEQ, Field, TableSpec, field, required

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
        required("logged_at", TimestampType(), "When the controller logged it, UTC."),
        field("level", StringType(), "Level of the line."),
        field("node_id", IntegerType(), "Node whose file holds the line."),
        required("controller_id", IntegerType(), "The controller that moved it."),
        field(
            "controller_epoch",
            IntegerType(),
            "Its epoch; 1.0 leaves it out on moves to NonExistentPartition.",
        ),
        *object_fields,
        required("from_state", StringType(), "State that the controller held before.", accepted=states),
        required(
            "to_state", StringType(), "State entered, or wanted where the attempt failed.", accepted=states
        ),
        required(
            "outcome",
            StringType(),
            "done: the line says it happened; failed: an ERROR line.",
            accepted=OUTCOMES,
        ),
        field("exception_class", StringType(), "Class of the exception below an ERROR line."),
        field("exception_message", StringType(), "Its message, first line."),
        field(
            "previous_states",
            ArrayType(StringType(), False),
            "Valid previous states that the exception lists.",
        ),
    )


SPEC = TableSpec(
    name="silver.replica_transition",
    grain="One line of state-change.log in which a controller moves one replica, or fails to.",
    key=("file_id", "byte_offset"),
    fields=transition_fields(
        required("topic", StringType(), "Topic."),
        required("partition", IntegerType(), "Partition."),
        required("replica_id", IntegerType(), "Broker of the replica."),
        states=REPLICA_STATES,
    ),
)
