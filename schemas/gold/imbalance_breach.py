"""How long each breach of leader.imbalance.per.broker.percentage lasted, what Kafka did about it, and why not more."""

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, TIMESTAMP

WHYS = (
    "auto_rebalance_disabled",  # auto.leader.rebalance.enable=false: nothing moves leaders back
    "preferred_down",  # for most of the time the broker was not among the live ones
    "preferred_not_in_isr",  # it was live, but hardly in the ISR of what it should lead
    "reassignment_in_progress",  # for most of the time one was: up to 3.3 Kafka then moves nothing (KAFKA-10149)
    "between_checks",  # it could lead for no longer than the checks that a finding allows
    "not_rebalanced",  # it could, for longer, and nobody gave it its partitions back
)

SPEC = TableSpec(
    name="gold.imbalance_breach",
    grain="One stretch of time in which the leader imbalance ratio of one broker stood over its limit.",
    key=("broker_id", "breached_at"),
    fields=(
        CLUSTER_ID,
        required_field(
            "broker_id", INTEGER, "The broker that leads too few of what it is preferred leader of."
        ),
        required_field("breached_at", TIMESTAMP, "When the ratio rose over the limit, UTC."),
        nullable_field("balanced_at", TIMESTAMP, "When it was over it no more, UTC; null: it still is."),
        required_field("max_ratio", DOUBLE, "Highest ratio."),
        required_field("led_elsewhere_count", LONG, "Partitions led elsewhere at that time."),
        required_field("preferred_count", LONG, "Partitions whose preferred leader it was at that time."),
        required_field("threshold_ratio", DOUBLE, "The limit."),
        required_field(
            "check_count",
            LONG,
            "Checks over the limit of this broker that controllers in office printed meanwhile.",
        ),
        required_field("triggered_count", LONG, "Of them, those after which Kafka began an election."),
        required_field("moved_count", LONG, "Partitions that these elections moved back to it."),
        required_field(
            "able_ms",
            LONG,
            "The longest that it could have led one of them: live, and in the ISR of a partition led elsewhere, ms.",
        ),
        required_field("down_ms", LONG, "How long it was not among the live brokers, ms."),
        required_field("reassigning_ms", LONG, "How long a reassignment was in progress, ms."),
        required_field(
            "duration_ms",
            LONG,
            "How long it lasted, until the end of the data where it still does, ms.",
        ),
        required_field(
            "is_standing", BOOLEAN, "able_ms is longer than findings.imbalance_checks check intervals."
        ),
        required_field("why", STRING, "Why it lasted.", accepted=WHYS),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("ends_after_it_begins", "balanced_at IS NULL OR balanced_at >= breached_at"),
        Check("parts_of_the_time", "able_ms <= duration_ms AND down_ms <= duration_ms"),
    ),
)
