"""What was read of copies of the metadata log, stretch by stretch of offsets: the manifest of the next run."""

from schemas.bronze.metadata_record import FORMS, METADATA_FILE_ID, METADATA_LOAD_SEQ
from schemas.spec import BROKER_IDS, CLUSTER_ID, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

ENDS = ("torn", "zeros", "damaged")

SPEC = TableSpec(
    name="bronze.metadata_part",
    grain="One unbroken stretch of offsets of one controller epoch that one run read in one file; of a snapshot the "
    "file.",
    key=("file_id", "load_seq", "first_offset"),
    fields=(
        CLUSTER_ID,
        METADATA_FILE_ID,
        METADATA_LOAD_SEQ,
        nullable_field("node_id", INTEGER, "The node whose copy it is; null: nothing tells."),
        nullable_field("log_cluster_id", STRING, "cluster.id of meta.properties beside it; null: none is."),
        required_field("path", STRING, "Where the file was when it was read."),
        required_field("size_bytes", LONG, "Size of the file as it lay there, bytes."),
        required_field("modified_at", TIMESTAMP, "When that file was last changed, UTC."),
        required_field("form", STRING, "What it is.", accepted=FORMS),
        nullable_field("snapshot_offset", LONG, "As bronze.metadata_record has it."),
        required_field(
            "is_base",
            BOOLEAN,
            "Its records are kept, as the log begins, or goes on behind a hole, without them.",
        ),
        required_field("controller_epoch", INTEGER, "Epoch of the controller that appended these records."),
        required_field(
            "first_offset", LONG, "Offset of the first record; of a snapshot its snapshot_offset."
        ),
        required_field("last_offset", LONG, "Offset of the last record."),
        required_field("first_at", TIMESTAMP, "Earliest time of a record, UTC."),
        required_field("last_at", TIMESTAMP, "Latest time of a record, UTC."),
        required_field("record_count", LONG, "Records, NoOps among them."),
        required_field(
            "no_op_count", LONG, "NoOps: records that say nothing but that the controller is active."
        ),
        required_field(
            "control_count", LONG, "Records of the quorum itself, as LeaderChange and KRaftVoters."
        ),
        required_field(
            "kept_count", LONG, "Rows of bronze.metadata_record that they gave: no other copy had them."
        ),
        nullable_field("controller_id", INTEGER, "Who leads the epoch; null: no LeaderChange stands here."),
        nullable_field(
            "voter_ids", BROKER_IDS, "Voters as its last record says that names them; null: none does."
        ),
        required_field("longest_silence_ms", LONG, "Longest time between two of the records, milliseconds."),
        required_field(
            "last_batch_byte", LONG, "Where the last batch that was read starts in the file, bytes."
        ),
        required_field("consumed_bytes", LONG, "The file is read up to here, bytes."),
        nullable_field(
            "ended_how",
            STRING,
            "Why it is not read further: a batch that is not whole yet, room not written yet, or damage; null: it ends "
            "there, or the stretch is not its last.",
            accepted=ENDS,
        ),
    ),
    checks=(
        Check("stretch_is_unbroken", "form = 'snapshot' OR record_count = last_offset - first_offset + 1"),
        Check("counts_are_parts", "no_op_count + control_count <= record_count"),
    ),
)
