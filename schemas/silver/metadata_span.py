"""Which offsets of KRaft's metadata log each copy holds, what of it is void, and what is committed for certain."""

from schemas.bronze.metadata_part import ENDS
from schemas.bronze.metadata_record import METADATA_FILE_ID
from schemas.spec import CLUSTER_ID, Check, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP

CERTAIN_BY = ("snapshot", "epoch", "majority")

SPEC = TableSpec(
    name="silver.metadata_span",
    grain="One unbroken stretch of offsets of one controller epoch in one copy of the metadata log.",
    key=("file_id", "first_offset"),
    fields=(
        CLUSTER_ID,
        METADATA_FILE_ID,
        nullable_field("node_id", INTEGER, "The node whose copy it is; null: nothing tells."),
        required_field("path", STRING, "Where the file was when it was read last."),
        required_field("controller_epoch", INTEGER, "Epoch of the controller that appended it."),
        nullable_field("controller_id", INTEGER, "That controller; null: no LeaderChange is at hand."),
        required_field("first_offset", LONG, "Offset of its first record."),
        required_field("last_offset", LONG, "Offset of its last record."),
        required_field("first_at", TIMESTAMP, "Earliest time of a record, UTC."),
        required_field("last_at", TIMESTAMP, "Latest time of a record, UTC."),
        required_field("record_count", LONG, "Records, NoOps among them."),
        required_field("no_op_count", LONG, "NoOps among them."),
        nullable_field(
            "void_from_offset", LONG, "From this offset on a later epoch took its place; null: it stands."
        ),
        required_field(
            "certain_until_offset",
            LONG,
            "All of the log up to here is committed for certain; -1: none is proved.",
        ),
        nullable_field("certain_by", STRING, "What proves that.", accepted=CERTAIN_BY),
        nullable_field(
            "ended_how",
            STRING,
            "Why the copy is not read further; null: it ends there or goes on.",
            accepted=ENDS,
        ),
    ),
    checks=(Check("span_is_unbroken", "record_count = last_offset - first_offset + 1"),),
)
