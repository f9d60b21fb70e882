"""When brokers were out of service in KRaft mode, by what the controller in office decided."""

from pyspark.sql.types import BooleanType, IntegerType, StringType, TimestampType

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, FILE_ID, TableSpec, field, required

SPEC = TableSpec(
    name="silver.broker_absence",
    grain="One decision of the KRaft controller in office that takes a broker out of service.",
    key=("file_id", "byte_offset", "broker_id"),
    fields=(
        CLUSTER_ID,
        required("broker_id", IntegerType(), "The broker."),
        required("out_at", TimestampType(), "When it was decided, UTC."),
        field(
            "silent_from_at",
            TimestampType(),
            "The earliest that it can have stopped to answer before, UTC; null: it answered until then.",
        ),
        field("back_at", TimestampType(), "When it was unfenced the next time, UTC; null: not seen."),
        required(
            "is_fence",
            BooleanType(),
            "It is fenced; else it may shut down, leads nothing from then on, and is fenced when it is done.",
        ),
        required("event", StringType(), "What the line is, e.g. broker_session_timeout."),
        FILE_ID,
        BYTE_OFFSET,
    ),
)
