"""Which wordings a segment holds, hour by hour: what release_span and log_gap are computed from."""

from schemas.bronze.log_record import LOGS, NOT_UNDERSTOOD_REASONS
from schemas.spec import CLUSTER_ID, FILE_ID, LOAD_SEQ, Check, TableSpec, field, required
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP, array

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
        field("node_id", INTEGER, "Node that wrote the lines; null if nothing tells."),
        FILE_ID,
        LOAD_SEQ,
        required("log", STRING, "Which log the lines belong to.", accepted=LOGS),
        field(
            "seen_at",
            TIMESTAMP,
            "The hour, UTC; of what a controller's node says of its own epoch the minute, of a start of a process its "
            "own time.",
        ),
        field("logger", STRING, "Logger of the lines."),
        field("level", STRING, "Level of the lines."),
        field("event", STRING, "What the lines say."),
        field("template", STRING, "The wording that matched; null where not understood."),
        required(
            "signs",
            array(STRING),
            "Signs of pipeline/kafka/wording/release_signs.tsv inside the lines, at most one a field.",
        ),
        field(
            "not_understood_reason",
            STRING,
            "Why the lines are not understood; null where they are.",
            accepted=NOT_UNDERSTOOD_REASONS,
        ),
        field("controller_id", INTEGER, "Controller that the lines name as acting."),
        field("controller_epoch", INTEGER, "Epoch of that controller."),
        required("is_start", BOOLEAN, "A process writes it once, when it starts."),
        required("record_count", LONG, "Records."),
        field("first_at", TIMESTAMP, "Earliest time of them, UTC."),
        field("last_at", TIMESTAMP, "Latest time of them, UTC."),
        required("first_offset", LONG, "Where the first of them starts in the uncompressed file, bytes."),
        required("last_offset", LONG, "Where the last of them starts, bytes."),
        required("end_offset", LONG, "Where the last of them ends, bytes."),
    ),
    checks=(Check("offsets_ascend", "first_offset <= last_offset AND last_offset < end_offset"),),
)
