"""Records of KRaft's metadata log, `__cluster_metadata-0`: what the controllers decided, without secrets."""

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, Check, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP

NOT_UNDERSTOOD_REASONS = ("unknown_type", "unknown_version", "frame", "bad_bytes", "compressed")
FORMS = ("segment", "snapshot")
METADATA_FILE_ID = required_field(
    "file_id", STRING, "Identity of the copy by node and first batch; joins bronze.metadata_part."
)
METADATA_LOAD_SEQ = required_field(
    "load_seq", LONG, "Number of the load that brought the row; grows with every load."
)

SPEC = TableSpec(
    name="bronze.metadata_record",
    grain="One record of the metadata log other than NoOps, once however many nodes have it; of a snapshot those of "
    "one that the log needs as its base.",
    key=("file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        METADATA_FILE_ID,
        METADATA_LOAD_SEQ,
        BYTE_OFFSET,
        required_field("form", STRING, "What holds it.", accepted=FORMS),
        nullable_field(
            "snapshot_offset",
            LONG,
            "Of a snapshot: the offset behind the last record that it stands for; null: the record stands in the log.",
        ),
        required_field(
            "record_offset", LONG, "Offset in the log; in a snapshot the place among its own records."
        ),
        required_field("batch_offset", LONG, "Offset of its batch: what one batch has, one decision made."),
        required_field("place_in_batch", INTEGER, "Place in the batch, from 0."),
        required_field("controller_epoch", INTEGER, "Epoch of the controller that appended it."),
        required_field("appended_at", TIMESTAMP, "When it was appended, by that controller's clock, UTC."),
        nullable_field("type", STRING, "Type as kafka-dump-log names it; null: not understood so far."),
        nullable_field("version", INTEGER, "Version of the type."),
        nullable_field(
            "fields",
            STRING,
            "What it says, as JSON with the names of kafka-dump-log; secrets are left out; null: not understood.",
        ),
        nullable_field(
            "not_understood_reason",
            STRING,
            "Why it is not understood; null: it is.",
            accepted=NOT_UNDERSTOOD_REASONS,
        ),
    ),
    checks=(
        Check("understood_or_reason", "(fields IS NULL) = (not_understood_reason IS NOT NULL)"),
        Check("a_snapshot_has_its_offset", "(form = 'snapshot') = (snapshot_offset IS NOT NULL)"),
    ),
)
