"""States of partitions as KRaft's metadata log has them: what the controllers decided, one row a change."""

from schemas.bronze.metadata_record import METADATA_FILE_ID
from schemas.spec import BROKER_IDS, BYTE_OFFSET, CLUSTER_ID, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP, array_type

VERDICTS = ("valid", "illegal", "gap")
RECORDED = (
    required_field(
        "record_offset", LONG, "Offset of the record; of a snapshot that of the last it stands for."
    ),
    required_field("controller_epoch", INTEGER, "Epoch of the controller that decided it."),
    required_field("decided_at", TIMESTAMP, "When it was appended, by that controller's clock, UTC."),
    required_field(
        "ordered_at",
        TIMESTAMP,
        "Running maximum of the times of records by their offsets, UTC: what days go by.",
    ),
    nullable_field(
        "valid_until_at", TIMESTAMP, "ordered_at of what ended it; null: so at the end of the log."
    ),
    required_field("is_base", BOOLEAN, "It stands in a snapshot: no record before it is at hand."),
)
JUDGED = (
    nullable_field("from_state", STRING, "State of the machine before; null: the log does not have it."),
    nullable_field(
        "state", STRING, "State of the machine after; null: the log does not have what it rests on."
    ),
    nullable_field(
        "verdict",
        STRING,
        "Whether the machine allows the move; gap: what was before is not at hand; null: it is no move.",
        accepted=VERDICTS,
    ),
    required_field(
        "broken_rules",
        array_type(STRING),
        "What no release of Kafka writes and this record says all the same.",
    ),
)

SPEC = TableSpec(
    name="silver.metadata_partition",
    grain="One state of one partition on record, from the record that made it on; what a deletion leaves is one, too.",
    key=("topic_id", "partition", "record_offset", "is_base"),
    fields=(
        CLUSTER_ID,
        nullable_field("topic", STRING, "Topic; null: no record that is at hand names it."),
        required_field("topic_id", STRING, "Id of the topic, 22 characters of base64."),
        required_field("partition", INTEGER, "Partition."),
        nullable_field(
            "partition_epoch", INTEGER, "Which change of the partition it is, from 0; null: not known."
        ),
        nullable_field("leader", INTEGER, "Leader; -1 none; null: not known, or deleted."),
        nullable_field("leader_epoch", INTEGER, "Leader epoch; null: not known."),
        nullable_field("isr", BROKER_IDS, "In-sync replicas."),
        nullable_field("replicas", BROKER_IDS, "Assigned replicas, preferred leader first."),
        nullable_field("adding_replicas", BROKER_IDS, "Of these, being added by a reassignment."),
        nullable_field("removing_replicas", BROKER_IDS, "Of these, being removed by a reassignment."),
        nullable_field("elr", BROKER_IDS, "Eligible leader replicas (KIP-966, from 4.0)."),
        nullable_field("last_known_elr", BROKER_IDS, "Last known eligible leader replicas (KIP-966)."),
        nullable_field("directories", array_type(STRING), "Log directories by replica (KIP-858, from 3.7)."),
        nullable_field(
            "is_recovering", BOOLEAN, "Its leader was elected uncleanly and has not recovered yet."
        ),
        required_field("is_elected", BOOLEAN, "The record names a leader."),
        nullable_field("cause", STRING, "Of an election what else its batch decided."),
        nullable_field("cause_broker_id", INTEGER, "The broker that the cause is about."),
        required_field("made_by", STRING, "Type of the record, as kafka-dump-log names it."),
        *RECORDED,
        *JUDGED,
        METADATA_FILE_ID,
        BYTE_OFFSET,
    ),
    checks=(Check("an_end_is_no_earlier", "valid_until_at IS NULL OR valid_until_at >= ordered_at"),),
)
