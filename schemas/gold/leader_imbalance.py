"""Each broker's leader imbalance ratio against leader.imbalance.per.broker.percentage, over time."""

from pyspark.sql.types import BooleanType, DoubleType, IntegerType, LongType, StringType, TimestampType

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, Check, TableSpec, field, required

# Each counts before the next.
LIMIT_SOURCES = (
    "conf",  # leader_imbalance.per_broker_percentage of all, a cluster or a broker
    "server.properties",  # of a file that the setting server_properties names
    "server.log",  # the newest list of settings that this broker printed
    "default",  # Kafka's own
)

SPEC = TableSpec(
    name="gold.leader_imbalance",
    grain="One interval of one broker in the cluster-wide view in which its counts did not change.",
    key=("broker_id", "valid_from_at"),
    fields=(
        CLUSTER_ID,
        required(
            "broker_id", IntegerType(), "The broker that is preferred leader (head of the assigned replicas)."
        ),
        required("valid_from_at", TimestampType(), "Start, inclusive, UTC."),
        field(
            "valid_until_at", TimestampType(), "End, exclusive, UTC; null: still so at the end of the data."
        ),
        required(
            "preferred_count", LongType(), "Partitions whose preferred leader it is, not queued for deletion."
        ),
        required(
            "led_elsewhere_count", LongType(), "Of them, those with a known leader that is not this broker."
        ),
        required("imbalance_ratio", DoubleType(), "led_elsewhere_count / preferred_count."),
        field(
            "threshold_ratio",
            DoubleType(),
            "leader.imbalance.per.broker.percentage / 100; null in KRaft mode.",
        ),
        field(
            "limit_source",
            StringType(),
            "Who says the threshold; null in KRaft mode.",
            accepted=LIMIT_SOURCES,
        ),
        required("check_interval_seconds", LongType(), "leader.imbalance.check.interval.seconds, likewise."),
        required("is_auto_rebalance_enabled", BooleanType(), "auto.leader.rebalance.enable, likewise."),
        field("is_breach", BooleanType(), "imbalance_ratio > threshold_ratio, strictly; null in KRaft mode."),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("part_of_the_group", "led_elsewhere_count >= 0 AND led_elsewhere_count <= preferred_count"),
        Check("group_is_not_empty", "preferred_count > 0"),
    ),
)
