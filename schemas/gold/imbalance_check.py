"""Every leader imbalance ratio that Kafka printed, beside the one computed from what that controller knew."""

from schemas.spec import (
    BYTE_OFFSET,
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    FILE_ID,
    TERM_ID,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, TIMESTAMP, array_type

REASONS = (
    "term_unknown",  # the election of its controller is in no line: what it knew is not known
    "beginning_missing",  # a term before this one was not seen: assignments may be missing
    "lines_missing",  # silver.log_gap names lines that are missing before the check
)
FOLLOW_UPS = (
    "none_needed",  # the ratio is not over the limit
    "rebalanced",  # every partition led elsewhere was moved to its preferred replica
    "partly_rebalanced",  # some were
    "superseded",  # the controller had a successor by then: what it tried was refused
    "preferred_down",  # the preferred broker is not among the live ones that the controller knows
    "left",  # none was moved: preferred replica out of the ISR, or (up to 3.3) a reassignment in progress
)

SPEC = TableSpec(
    name="gold.imbalance_check",
    grain="One line 'Leader imbalance ratio for broker N is R': a check that a controller made of one broker.",
    key=("file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        required_field("controller_id", INTEGER, "The controller that checked."),
        required_field("broker_id", INTEGER, "Preferred leader of the partitions counted."),
        required_field("checked_at", TIMESTAMP, "When Kafka printed it, UTC."),
        nullable_field("seq", LONG, "Place of the line within the term."),
        required_field("kafka_ratio", DOUBLE, "Ratio as Kafka printed it."),
        nullable_field(
            "imbalance_ratio",
            DOUBLE,
            "Ours at that line, from that controller's own view; null: no such group, or term unknown.",
        ),
        nullable_field(
            "preferred_count",
            LONG,
            "Partitions whose preferred leader it is, as that controller knew them; null: term unknown.",
        ),
        nullable_field(
            "led_elsewhere_count", LONG, "Of them, those with a known leader that is not this broker."
        ),
        nullable_field(
            "is_equal",
            BOOLEAN,
            "Both ratios are the same double (up to 0.10.2: print the same six decimals); null: undetermined.",
        ),
        nullable_field(
            "listed_count",
            LONG,
            "How many partitions the list before the ratio names as not led by their preferred replica; null: no list.",
        ),
        nullable_field(
            "only_kafka",
            array_type(STRING),
            "Of the listed ones (TOPIC-N), those that our view has not led elsewhere; null: no list.",
        ),
        nullable_field(
            "only_ours_count",
            LONG,
            "Partitions that our view has led elsewhere and the list does not name; null: no list.",
        ),
        nullable_field("reason", STRING, "Why it is undetermined.", accepted=REASONS),
        nullable_field(
            "is_stale",
            BOOLEAN,
            "Another controller had been elected: Kafka printed what a deposed one knew; null: term unknown.",
        ),
        nullable_field("threshold_ratio", DOUBLE, "leader.imbalance.per.broker.percentage / 100."),
        required_field(
            "is_over", BOOLEAN, "kafka_ratio > threshold_ratio, strictly: Kafka should have acted."
        ),
        nullable_field(
            "is_triggered",
            BOOLEAN,
            "Kafka began an election of preferred leaders after this line; null: term unknown.",
        ),
        nullable_field(
            "moved_count",
            LONG,
            "Partitions of this broker that its automatic election moved back to it; null: term unknown.",
        ),
        nullable_field(
            "follow_up",
            STRING,
            "What came of it; null: over the limit, and term unknown.",
            accepted=FOLLOW_UPS,
        ),
        CERTAINTY,
        EVIDENCE,
        FILE_ID,
        BYTE_OFFSET,
    ),
    checks=(
        Check("nothing_said_without_a_term", "(term_id IS NULL) = (reason <=> 'term_unknown')"),
        Check("a_reason_where_undetermined", "(is_equal IS NULL) = (reason IS NOT NULL)"),
        Check(
            "lists_add_up",
            "listed_count IS NULL OR listed_count - cardinality(only_kafka) <=> led_elsewhere_count - only_ours_count",
        ),
        Check(
            "part_of_the_group",
            "led_elsewhere_count IS NULL OR led_elsewhere_count BETWEEN 0 AND preferred_count",
        ),
    ),
)
