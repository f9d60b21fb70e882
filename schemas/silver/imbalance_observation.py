"""Kafka's own leader imbalance ratios, as its controller printed them."""

from pyspark.sql.types import DoubleType, IntegerType, StringType, TimestampType

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, FILE_ID, LOAD_SEQ, Check, TableSpec, field, required

SPEC = TableSpec(
    name="silver.imbalance_observation",
    grain="One line 'Leader imbalance ratio for broker N is R' of a controller's automatic check.",
    key=("file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required("checked_at", TimestampType(), "When the controller printed it, UTC."),
        required("controller_id", IntegerType(), "The controller that checked."),
        required("broker_id", IntegerType(), "Preferred leader of the partitions counted."),
        required(
            "kafka_ratio", DoubleType(), "Ratio as printed (up to 0.10.2 six decimals, later a Java double)."
        ),
        field("printed", StringType(), "The digits as printed."),
    ),
    checks=(Check("ratio_is_a_share", "kafka_ratio >= 0 AND kafka_ratio <= 1"),),
)
