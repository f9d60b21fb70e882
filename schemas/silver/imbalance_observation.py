"""Kafka's own leader imbalance ratios, as its controller printed them."""

from schemas.spec import (
    BYTE_OFFSET,
    CLUSTER_ID,
    FILE_ID,
    LOAD_SEQ,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import DOUBLE, INTEGER, STRING, TIMESTAMP

SPEC = TableSpec(
    name="silver.imbalance_observation",
    grain="One line 'Leader imbalance ratio for broker N is R' of a controller's automatic check.",
    key=("file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required_field("checked_at", TIMESTAMP, "When the controller printed it, UTC."),
        required_field("controller_id", INTEGER, "The controller that checked."),
        required_field("broker_id", INTEGER, "Preferred leader of the partitions counted."),
        required_field(
            "kafka_ratio", DOUBLE, "Ratio as printed (up to 0.10.2 six decimals, later a Java double)."
        ),
        nullable_field("printed", STRING, "The digits as printed."),
    ),
    checks=(Check("ratio_is_a_share", "kafka_ratio >= 0 AND kafka_ratio <= 1"),),
)
