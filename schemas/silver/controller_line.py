"""The order of a controller's lines: its two logs merged, by term."""

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, FILE_ID, LOAD_SEQ, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

CAUSES = (
    "controller start-up",
    "broker start",
    "broker failure",
    "broker bounced",
    "log-dir failure",
    "controlled shutdown",
    "topic creation",
    "partitions added",
    "reassignment",
    "preferred election by tool",
    "automatic rebalance",
    "unclean election",
    "unclean election enabled",
    "topic deletion",
    "unknown",
)

SPEC = TableSpec(
    name="silver.controller_line",
    grain="One line that a controller wrote in office: of controller.log, or acting in state-change.log.",
    key=("file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        required_field("term_id", STRING, "The term that the line belongs to."),
        required_field(
            "seq",
            LONG,
            "Place of the line within its term, ascending with gaps: by running maximum of time, "
            "controller.log before state-change.log, then offset.",
        ),
        required_field("log", STRING, "controller or state-change.", accepted=("controller", "state-change")),
        required_field("logged_at", TIMESTAMP, "When it was logged, UTC."),
        required_field("ordered_at", TIMESTAMP, "Running maximum of logged_at within node and log, UTC."),
        required_field("event", STRING, "What it says."),
        nullable_field("level", STRING, "Level of the line."),
        required_field("controller_id", INTEGER, "The controller."),
        required_field(
            "event_seq",
            LONG,
            "seq of the line that opened what the controller was doing; 0: none seen.",
        ),
        required_field("cause", STRING, "Why: by the opening line before it.", accepted=CAUSES),
        required_field(
            "is_checking",
            BOOLEAN,
            "What the controller began last is its own check of leader imbalance.",
        ),
        nullable_field("listed_seq", LONG, "seq of the line that listed partitions in that check last."),
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
    ),
)
