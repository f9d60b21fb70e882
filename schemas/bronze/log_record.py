"""Every record of every log file: where it stands, its bytes, its envelope, what it says or why not."""

import pyarrow as pa

from schemas.spec import (
    BROKER_IDS,
    BYTE_OFFSET,
    CLUSTER_ID,
    FILE_ID,
    LOAD_SEQ,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BINARY, BOOLEAN, INTEGER, LOCAL_TIMESTAMP, LONG, STRING, TIMESTAMP, map_of

LOGS = ("controller", "state-change", "server")
# Why a record is not understood, as its reader is told.
NOT_UNDERSTOOD = {
    "no_template": "The logger is one of Kafka's that are known here, but no template has this wording.",
    "several_templates": "Templates of different events match the message, so none is taken.",
    "no_envelope": "No time, level and logger were found around the message: a line of a stack trace, text before "
    "the first record, zero bytes that a power cut left, or no log of Kafka.",
    "bad_bytes": "The record is not valid UTF-8.",
    "no_writer": "Several nodes wrote the file, and the record does not name which of them wrote it.",
    "too_long": "The record is longer than the limit for records, and was not parsed.",
    "cut": "The end of the message is missing: a shipper cut it, the file ends inside it, or its process ended so.",
    "other_logger": "No template names this logger: what it says is not read here.",
    "blank": "There is white space only.",
}
NOT_UNDERSTOOD_REASONS = tuple(NOT_UNDERSTOOD)
# Of records that are not whole nothing but their bytes tells what they say.
NOT_WHOLE = ("cut", "too_long")

# What a record says of itself, in the columns that all questions are asked by.
SAID = (
    nullable_field("controller_id", INTEGER, "Controller that the record names as acting."),
    nullable_field("controller_epoch", INTEGER, "Epoch of that controller."),
    nullable_field("broker_id", INTEGER, "Broker that the record is about or that writes it."),
    nullable_field("topic", STRING, "Topic."),
    nullable_field("partition", INTEGER, "Partition of the topic."),
    nullable_field("replica_id", INTEGER, "Broker of the replica that the record is about."),
    nullable_field("from_state", STRING, "State left, Kafka's name, e.g. NewReplica."),
    nullable_field("to_state", STRING, "State entered or wanted, Kafka's name."),
    nullable_field("leader", INTEGER, "Leader: a broker, -1 none, -2 being deleted."),
    nullable_field("leader_epoch", INTEGER, "Leader epoch of the partition."),
    nullable_field("isr", BROKER_IDS, "In-sync replicas in the order printed."),
    nullable_field(
        "replicas",
        BROKER_IDS,
        "Assigned replicas in the order printed; the first is the preferred leader.",
    ),
    nullable_field("correlation_id", INTEGER, "Correlation id of the request."),
    nullable_field("reason", STRING, "Reason that the record gives."),
    nullable_field(
        "exception_class",
        STRING,
        "Class of the exception that the record carries: the outer one, or the one inside of it that names a cause.",
    ),
    nullable_field("exception_message", STRING, "Its message, first line."),
)
NAMES_OF_FIELDS = tuple(one.name for one in SAID if not pa.types.is_list(one.type))
# Most records are `[time] LEVEL message (logger)`, the message a wording with values in place: see Field.rebuilt.
# A time without zone is written by a cast, which no session time zone changes; braces part what is fixed from names.
RAW = f"""CAST(concat(
  '[', substring(CAST(logged_local AS STRING), 1, 19),
  ',', rpad(substring(CAST(logged_local AS STRING), 21, 3), 3, '0'), '] ', level, ' ',
  array_join(transform(split(template, '[{{}}]'), (part, place) -> CASE
    WHEN place % 2 = 0 THEN part
    ELSE coalesce(fields[part], CASE part
      {" ".join(f"WHEN '{name}' THEN CAST({name} AS STRING)" for name in NAMES_OF_FIELDS)}
    END) END), ''),
  ' (', logger, ')', char(10)) AS BINARY)"""

SPEC = TableSpec(
    name="bronze.log_record",
    grain="One record of one log file: a line with the time in front, and the lines that continue it.",
    key=("file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        nullable_field(
            "node_id",
            INTEGER,
            "The broker or controller that wrote the file, of a file of several the one that the record names; null if "
            "nothing tells.",
        ),
        required_field("log", STRING, "Which log the record belongs to, by its logger.", accepted=LOGS),
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required_field("byte_length", LONG, "Length in the uncompressed file, bytes, line ends included."),
        required_field(
            "line_count", LONG, "Line ends in the record: the sum before it gives its line number."
        ),
        nullable_field(
            "raw",
            BINARY,
            "The bytes as read; null where only position and length are kept. Files hold it only where the other "
            "columns do not give it.",
            rebuilt=RAW,
        ),
        nullable_field(
            "logged_at", TIMESTAMP, "When it was logged, UTC, by the zone of the cluster or broker."
        ),
        nullable_field("logged_local", LOCAL_TIMESTAMP, "The local time as printed."),
        nullable_field("level", STRING, "TRACE, DEBUG, INFO, WARN, ERROR or FATAL, as printed."),
        nullable_field(
            "logger",
            STRING,
            "Logger, e.g. kafka.controller.KafkaController; its short name, or null, where no more is printed and the "
            "message is of several loggers.",
        ),
        nullable_field("event", STRING, "What the record says: an event of pipeline/kafka/templates."),
        nullable_field(
            "template",
            STRING,
            "The wording that matched, with {field} for what varies; null if not understood.",
        ),
        nullable_field(
            "not_understood_reason",
            STRING,
            "Why event is null.",
            accepted=NOT_UNDERSTOOD_REASONS,
        ),
        required_field(
            "is_forged",
            BOOLEAN,
            "A line inside the record looks like a record of its own (CR or LF in a name).",
        ),
        *SAID,
        nullable_field(
            "fields",
            map_of(STRING, STRING),
            "Fields of the template as printed: all that no column of the same name holds, and lists.",
        ),
    ),
    checks=(
        Check("offset_is_not_negative", "byte_offset >= 0"),
        Check("length_is_positive", "byte_length > 0"),
        Check("understood_or_reason", "(event IS NULL) <> (not_understood_reason IS NULL)"),
    ),
)
