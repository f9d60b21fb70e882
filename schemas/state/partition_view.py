"""What the controller in office held of each partition at the end of a day: what its lines of later days follow."""

from schemas.spec import (
    BROKER_IDS,
    CLUSTER_ID,
    DAY_AT,
    TERM_ID,
    TOPIC_PARTITION,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, array_type

SPEC = TableSpec(
    name="state.partition_view",
    grain="One partition as a ZooKeeper controller in office held it at the end of a day on which it said something of "
    "it; on its first day of each week all that it held.",
    key=("term_id", "day_at", "topic", "topic_life", "partition"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        DAY_AT,
        *TOPIC_PARTITION,
        nullable_field("state", STRING, "State of the partition machine; null: no line said it yet."),
        nullable_field("leader", INTEGER, "Leader that it held; -1 none; null: no line said it yet."),
        nullable_field("isr", BROKER_IDS, "In-sync replicas."),
        nullable_field("replicas", BROKER_IDS, "Assigned replicas, preferred leader first."),
        nullable_field("leader_epoch", INTEGER, "Leader epoch."),
        nullable_field(
            "adding_replicas", BROKER_IDS, "Of the replicas, being added by a reassignment (from 2.4)."
        ),
        nullable_field(
            "removing_replicas", BROKER_IDS, "Of the replicas, being removed by a reassignment (from 2.4)."
        ),
        nullable_field("is_deleting", BOOLEAN, "Its topic is queued for deletion; null: no line said it."),
        required_field(
            "doubted",
            array_type(STRING),
            "Of these columns those that no line of its own stated, and that may have changed unseen before its term.",
        ),
        required_field("is_ended", BOOLEAN, "The partition is gone for good: of later days it has no row."),
        nullable_field(
            "stated_epoch", INTEGER, "Highest leader epoch that lines of its own stated; null: none did."
        ),
        nullable_field(
            "isr_file_id", STRING, "File of its own line that stated the ISR last; null: none did."
        ),
        nullable_field("isr_byte_offset", LONG, "Where that record starts in the uncompressed file, bytes."),
        required_field(
            "is_epoch_unsaid",
            BOOLEAN,
            "Its last line of an election did not say the leader epoch (up to 1.0), and none after it did.",
        ),
    ),
    checks=(
        Check("a_line_states_the_isr", "isr_file_id IS NULL OR (isr IS NOT NULL AND isr_byte_offset >= 0)"),
        Check("who_stated_an_epoch_holds_one", "stated_epoch IS NULL OR leader_epoch IS NOT NULL"),
    ),
)
