"""When brokers were out of service in KRaft mode, by what the controller in office decided."""

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, FILE_ID, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, STRING, TIMESTAMP

SPEC = TableSpec(
    name="silver.broker_absence",
    grain="One decision of the KRaft controller in office that takes a broker out of service.",
    key=("file_id", "byte_offset", "broker_id"),
    fields=(
        CLUSTER_ID,
        required_field("broker_id", INTEGER, "The broker."),
        required_field("out_at", TIMESTAMP, "When it was decided, UTC."),
        nullable_field(
            "silent_from_at",
            TIMESTAMP,
            "The earliest that it can have stopped to answer before, UTC; null: it answered until then.",
        ),
        nullable_field("back_at", TIMESTAMP, "When it was unfenced the next time, UTC; null: not seen."),
        required_field(
            "is_fence",
            BOOLEAN,
            "It is fenced; else it may shut down, leads nothing from then on, and is fenced when it is done.",
        ),
        required_field(
            "is_partial",
            BOOLEAN,
            "Out is only what lies in a log directory of the broker that failed; it serves all the others.",
        ),
        required_field("event", STRING, "What the line is, e.g. broker_session_timeout."),
        FILE_ID,
        BYTE_OFFSET,
    ),
)
