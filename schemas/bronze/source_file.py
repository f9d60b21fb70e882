"""What was read of each log file, segment by segment: the manifest that the next run plans from."""

from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, TimestampType

from schemas.spec import CLUSTER_ID, FILE_ID, LOAD_SEQ, Check, TableSpec, field, required

SPEC = TableSpec(
    name="bronze.source_file",
    grain="One segment of a log file that one run read: from start_offset until consumed_bytes.",
    key=("file_id", "start_offset"),
    fields=(
        CLUSTER_ID,
        field(
            "node_id", IntegerType(), "The broker or controller that wrote the file; null if nothing tells."
        ),
        required(
            "log",
            StringType(),
            "Which log the file is; mixed: several loggers share it.",
            accepted=("controller", "state-change", "server", "mixed"),
        ),
        FILE_ID,
        LOAD_SEQ,
        required("path", StringType(), "Where the file was when it was read."),
        required("codec", StringType(), "How it is compressed.", accepted=("plain", "gzip", "zstd")),
        required(
            "envelope",
            StringType(),
            "Form of its lines: wrappers and layout, e.g. cri/stock, or pattern:[%d] ...",
        ),
        required("zone", StringType(), "Time zone of local times that do not print their own."),
        required("size_bytes", LongType(), "Size of the uncompressed file when it was read, bytes."),
        required("start_offset", LongType(), "Where the segment starts, bytes."),
        required("consumed_bytes", LongType(), "Where the segment ends: the file is read up to here, bytes."),
        required(
            "is_last_held_back",
            BooleanType(),
            "The file had a last record that may still grow; it is not read.",
        ),
        required(
            "first_record_hash",
            StringType(),
            "SHA-256 up to the end of the first record's first line: the name of the content.",
        ),
        required("consumed_hash", StringType(), "SHA-256 of the first consumed_bytes bytes of the file."),
        required("record_count", LongType(), "Records of the segment."),
        required("understood_count", LongType(), "Of them understood."),
        required("record_bytes", LongType(), "Sum of the lengths of these records, bytes."),
        field("first_logged_at", TimestampType(), "Earliest time in the segment, UTC."),
        field("last_logged_at", TimestampType(), "Latest time in the segment, UTC."),
        required("run_id", StringType(), "The run that read it."),
    ),
    checks=(
        Check("segment_is_not_empty", "consumed_bytes > start_offset"),
        Check("bytes_are_conserved", "record_bytes = consumed_bytes - start_offset"),
        Check("understood_is_a_part", "understood_count <= record_count"),
    ),
)
