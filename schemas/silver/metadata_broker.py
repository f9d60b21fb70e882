"""Registrations of brokers as KRaft's metadata log has them, one row a change."""

from schemas.bronze.metadata_record import METADATA_FILE_ID
from schemas.silver.metadata_partition import JUDGED, RECORDED
from schemas.spec import BYTE_OFFSET, CLUSTER_ID, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, LONG, STRING

SPEC = TableSpec(
    name="silver.metadata_broker",
    grain="One state of one broker's registration on record, from the record that made it on.",
    key=("broker_id", "record_offset", "is_base"),
    fields=(
        CLUSTER_ID,
        required_field("broker_id", INTEGER, "Broker."),
        nullable_field("broker_epoch", LONG, "Epoch of its registration; null: not known."),
        nullable_field("incarnation_id", STRING, "Id of its process; null: not known."),
        nullable_field("rack", STRING, "Rack; null: none, or not known."),
        nullable_field("is_fenced", BOOLEAN, "It is fenced; null: not known."),
        nullable_field("is_stopping", BOOLEAN, "It is in a controlled shutdown; null: not known."),
        required_field("is_registered", BOOLEAN, "The record registers it: a process of it started."),
        *RECORDED,
        *JUDGED,
        METADATA_FILE_ID,
        BYTE_OFFSET,
    ),
    checks=(Check("an_end_is_no_earlier", "valid_until_at IS NULL OR valid_until_at >= ordered_at"),),
)
