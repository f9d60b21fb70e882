"""What was read of each log file, segment by segment: the manifest that the next run plans from."""

from schemas.spec import CLUSTER_ID, FILE_ID, LOAD_SEQ, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

SPEC = TableSpec(
    name="bronze.source_file",
    grain="One segment of a log file that one run read: from start_offset until consumed_bytes.",
    key=("file_id", "start_offset"),
    fields=(
        CLUSTER_ID,
        nullable_field(
            "node_id",
            INTEGER,
            "The broker or controller that wrote the file; null if nothing tells, or several did.",
        ),
        required_field(
            "log",
            STRING,
            "Which log the file is; mixed: several loggers share it.",
            accepted=("controller", "state-change", "server", "mixed"),
        ),
        FILE_ID,
        LOAD_SEQ,
        required_field("path", STRING, "Where the file was when it was read."),
        required_field("codec", STRING, "How it is compressed.", accepted=("plain", "gzip", "zstd")),
        required_field(
            "envelope",
            STRING,
            "Form of its lines: wrappers and layout, e.g. cri/stock, or pattern:[%d] ...",
        ),
        required_field("zone", STRING, "Time zone of local times that do not print their own."),
        required_field("size_bytes", LONG, "Size of the uncompressed file when it was read, bytes."),
        required_field("start_offset", LONG, "Where the segment starts, bytes."),
        required_field("consumed_bytes", LONG, "Where the segment ends: the file is read up to here, bytes."),
        required_field(
            "is_last_held_back",
            BOOLEAN,
            "The file had a last record that may still grow; it is not read.",
        ),
        required_field(
            "first_record_hash",
            STRING,
            "SHA-256 up to the end of the first record's first line: the name of the content.",
        ),
        required_field("consumed_hash", STRING, "SHA-256 of the first consumed_bytes bytes of the file."),
        required_field("record_count", LONG, "Records of the segment."),
        required_field("understood_count", LONG, "Of them understood."),
        required_field("record_bytes", LONG, "Sum of the lengths of these records, bytes."),
        nullable_field("first_logged_at", TIMESTAMP, "Earliest time in the segment, UTC."),
        nullable_field("last_logged_at", TIMESTAMP, "Latest time in the segment, UTC."),
        required_field("run_id", STRING, "The run that read it."),
        nullable_field(
            "is_shared", BOOLEAN, "Several nodes wrote the file; each record has the node that it names."
        ),
    ),
    checks=(
        Check("segment_is_not_empty", "consumed_bytes > start_offset"),
        Check("bytes_are_conserved", "record_bytes = consumed_bytes - start_offset"),
        Check("understood_is_a_part", "understood_count <= record_count"),
    ),
)
