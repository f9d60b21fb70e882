"""Every state change that a controller logged, with the verdict of the state machine on it."""

from schemas.spec import (
    BYTE_OFFSET,
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    FILE_ID,
    LOAD_SEQ,
    TERM_ID,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

MACHINES = ("replica", "partition")
OUTCOMES = ("done", "failed")
CONTINUITIES = ("first", "follows", "hidden", "broken", "unknown")
VERDICTS = (
    "illegal",
    "refused",
    "failed",
    "first",
    "valid",
    "same_state",
    "hidden",
    "discontinuity",
    "undetermined",
)

SPEC = TableSpec(
    name="gold.transition_audit",
    grain="One row per state change of a replica or a partition that a controller logged, done or not.",
    key=("file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        required_field("machine", STRING, "Which state machine moved.", accepted=MACHINES),
        nullable_field("controller_id", INTEGER, "Controller that logged the change."),
        nullable_field("controller_epoch", INTEGER, "Epoch of that controller."),
        nullable_field("topic", STRING, "Topic."),
        nullable_field("partition", INTEGER, "Partition of the topic."),
        nullable_field("replica_id", INTEGER, "Broker of the replica; null for partitions."),
        nullable_field("from_state", STRING, "State left, or held if the change failed; Kafka's name."),
        nullable_field("to_state", STRING, "State entered, or wanted if the change failed; Kafka's name."),
        required_field("outcome", STRING, "Whether the state moved.", accepted=OUTCOMES),
        nullable_field(
            "is_legal_pair",
            BOOLEAN,
            "The machine allows the move; null where the machines of the possible releases differ.",
        ),
        required_field(
            "continuity",
            STRING,
            "How from_state joins the state replayed before it within the term.",
            accepted=CONTINUITIES,
        ),
        required_field("verdict", STRING, "The judgement, by the table of precedence.", accepted=VERDICTS),
        nullable_field(
            "normal",
            STRING,
            "KAFKA number, or item of the documentation, that calls this verdict on this move normal.",
        ),
        nullable_field("cause", STRING, "What made the controller move, as far as its own log tells."),
        nullable_field(
            "trigger",
            STRING,
            "Kafka's method that asks for such a move for that cause, by its last name (triggers.tsv); null: "
            "no method does.",
        ),
        nullable_field("exception_class", STRING, "Class of the exception that the record carries."),
        nullable_field("exception_message", STRING, "Its message, first line."),
        nullable_field("level", STRING, "Level of the line."),
        nullable_field("seq", LONG, "Order within the term; null without a term."),
        required_field(
            "ordered_at",
            TIMESTAMP,
            "Running maximum of logged_at, by which the term is ordered, UTC; logged_at without a term.",
        ),
        nullable_field("logged_at", TIMESTAMP, "When the controller logged it, UTC, millisecond precision."),
        CERTAINTY,
        EVIDENCE,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
    ),
    checks=(
        Check("illegal_pair_was_done", "verdict <> 'illegal' OR (NOT is_legal_pair AND outcome = 'done')"),
        Check(
            "refused_and_failed_moved_nothing", "verdict NOT IN ('refused', 'failed') OR outcome = 'failed'"
        ),
        Check("certainty_follows_verdict", "(verdict = 'undetermined') = (certainty = 'undetermined')"),
        Check("partitions_have_no_replica", "machine = 'replica' OR replica_id IS NULL"),
    ),
)
