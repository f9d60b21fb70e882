"""Each broker's leader imbalance ratio against leader.imbalance.per.broker.percentage, over time."""

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, TIMESTAMP

# Each counts before the next.
LIMIT_SOURCES = (
    "conf",  # leader_imbalance.per_broker_percentage of all, a cluster or a broker
    "server.properties",  # of a file that the setting server_properties names
    "server.log",  # the newest list of settings that this broker printed
    "default",  # Kafka's own
)

CREATION_UNSEEN = "creation_unseen"
# Each counts before the next.
REASONS = (
    "term_unseen",  # lines of some controller until then are missing: assignments may be other than the last ones read
    CREATION_UNSEEN,  # KRaft: some partition was there before the first line about it; there may be more
    "partition_unknown",  # the leader of one of its partitions is not known, or who is its preferred leader
)

SPEC = TableSpec(
    name="gold.leader_imbalance",
    grain="One interval of one broker in the cluster-wide view in which its counts, its limit and what is known of "
    "them did not change.",
    key=("broker_id", "valid_from_at"),
    fields=(
        CLUSTER_ID,
        required_field(
            "broker_id", INTEGER, "The broker that is preferred leader (head of the assigned replicas)."
        ),
        required_field("valid_from_at", TIMESTAMP, "Start, inclusive, UTC."),
        nullable_field(
            "valid_until_at", TIMESTAMP, "End, exclusive, UTC; null: still so at the end of the data."
        ),
        required_field(
            "preferred_count", LONG, "Partitions whose preferred leader it is, not queued for deletion."
        ),
        required_field(
            "led_elsewhere_count", LONG, "Of them, those with a known leader that is not this broker."
        ),
        required_field("imbalance_ratio", DOUBLE, "led_elsewhere_count / preferred_count."),
        nullable_field(
            "threshold_ratio",
            DOUBLE,
            "leader.imbalance.per.broker.percentage / 100; null in KRaft mode.",
        ),
        nullable_field(
            "limit_source",
            STRING,
            "Who says the threshold; null in KRaft mode.",
            accepted=LIMIT_SOURCES,
        ),
        required_field("check_interval_seconds", LONG, "leader.imbalance.check.interval.seconds, likewise."),
        required_field("is_auto_rebalance_enabled", BOOLEAN, "auto.leader.rebalance.enable, likewise."),
        nullable_field(
            "is_breach", BOOLEAN, "imbalance_ratio > threshold_ratio, strictly; null in KRaft mode."
        ),
        nullable_field(
            "reason",
            STRING,
            "Why it is undetermined; it may hold from amid an interval of the counts on, which then is two rows.",
            accepted=REASONS,
        ),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("a_reason_where_undetermined", "(certainty = 'undetermined') = (reason IS NOT NULL)"),
        Check("part_of_the_group", "led_elsewhere_count >= 0 AND led_elsewhere_count <= preferred_count"),
        Check("group_is_not_empty", "preferred_count > 0"),
    ),
)
