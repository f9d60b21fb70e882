"""Which wordings a segment holds, hour by hour: what release_span and log_gap are computed from."""

from schemas.bronze.log_record import LOGS, NOT_UNDERSTOOD_REASONS
from schemas.spec import CLUSTER_ID, FILE_ID, LOAD_SEQ, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP, array_type

SPEC = TableSpec(
    name="silver.wording_seen",
    grain="One wording (or reason of not being understood) of one controller in one hour of one segment, in one "
    "minute where the controller's own node names its epoch; a start of a process alone.",
    key=(
        "node_id",
        "file_id",
        "load_seq",
        "seen_at",
        "log",
        "logger",
        "level",
        "template",
        "signs",
        "not_understood_reason",
        "controller_id",
        "controller_epoch",
    ),
    fields=(
        CLUSTER_ID,
        nullable_field("node_id", INTEGER, "Node that wrote the lines; null if nothing tells."),
        FILE_ID,
        LOAD_SEQ,
        required_field("log", STRING, "Which log the lines belong to.", accepted=LOGS),
        nullable_field(
            "seen_at",
            TIMESTAMP,
            "The hour, UTC; of what a controller's node says of its own epoch the minute, of a start of a process its "
            "own time.",
        ),
        nullable_field("logger", STRING, "Logger of the lines."),
        nullable_field("level", STRING, "Level of the lines."),
        nullable_field("event", STRING, "What the lines say."),
        nullable_field("template", STRING, "The wording that matched; null where not understood."),
        required_field(
            "signs",
            array_type(STRING),
            "Signs of pipeline/kafka/wording/release_signs.tsv inside the lines, at most one a field.",
        ),
        nullable_field(
            "not_understood_reason",
            STRING,
            "Why the lines are not understood; null where they are.",
            accepted=NOT_UNDERSTOOD_REASONS,
        ),
        nullable_field("controller_id", INTEGER, "Controller that the lines name as acting."),
        nullable_field("controller_epoch", INTEGER, "Epoch of that controller."),
        required_field("is_start", BOOLEAN, "A process writes it once, when it starts."),
        required_field("record_count", LONG, "Records."),
        nullable_field("first_at", TIMESTAMP, "Earliest time of them, UTC."),
        nullable_field("last_at", TIMESTAMP, "Latest time of them, UTC."),
        required_field(
            "first_offset", LONG, "Where the first of them starts in the uncompressed file, bytes."
        ),
        required_field("last_offset", LONG, "Where the last of them starts, bytes."),
        required_field("end_offset", LONG, "Where the last of them ends, bytes."),
    ),
    checks=(Check("offsets_ascend", "first_offset <= last_offset AND last_offset < end_offset"),),
)
