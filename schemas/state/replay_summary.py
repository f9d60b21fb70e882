"""What the replay of a later day has to know of an earlier one."""

from schemas.gold.transition_audit import MACHINES
from schemas.spec import CLUSTER_ID, DAY_AT, TERM_ID, Check, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING

SPEC = TableSpec(
    name="state.replay_summary",
    grain="One object of a state machine that moved, or was meant to, in one day of one term; on the term's first day "
    "of each week all its objects so far, with what all days left.",
    key=("term_id", "day_at", "machine", "topic", "partition", "replica_id"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        DAY_AT,
        required_field("machine", STRING, "Which state machine.", accepted=MACHINES),
        nullable_field("topic", STRING, "Topic."),
        nullable_field("partition", INTEGER, "Partition of the topic."),
        nullable_field("replica_id", INTEGER, "Broker of the replica; null for partitions."),
        nullable_field(
            "last_to", STRING, "State that its last move of the day entered; null if no move was done."
        ),
        nullable_field("last_seq", LONG, "Place of that last move within the term."),
        nullable_field("file_id", STRING, "File of that last move."),
        nullable_field("byte_offset", LONG, "Where its record starts in the uncompressed file, bytes."),
        required_field("end_seq", LONG, "Place of its last move or attempt of the day."),
        nullable_field("first_trace_seq", LONG, "Place of its first line of the day at TRACE."),
        nullable_field("last_trace_seq", LONG, "Place of its last line of the day at TRACE."),
    ),
    checks=(Check("a_move_has_a_place", "last_to IS NULL OR (last_seq <= end_seq AND file_id IS NOT NULL)"),),
)
