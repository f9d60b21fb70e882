"""How far the clocks of two nodes are apart, from lines of which one cannot be before the other."""

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

METHODS = (
    "requests",  # sent before it was received
    "answers",  # answered after the broker's last line about it
    "registrations",  # in ZooKeeper before a controller listed it; in KRaft named by the broker, then by a controller
    "shutdowns",  # KRaft: asked for before it was granted
    "replays",  # KRaft: registered by the active controller before another one replayed it
)

SPEC = TableSpec(
    name="gold.clock_skew",
    grain="Two nodes and one hour in which lines bound how far their clocks are apart.",
    key=("node_id", "other_id", "hour_at"),
    fields=(
        CLUSTER_ID,
        required_field("node_id", INTEGER, "The node with the lower id."),
        required_field("other_id", INTEGER, "The other node."),
        required_field("hour_at", TIMESTAMP, "Begin of the hour, by the clocks of the controllers, UTC."),
        nullable_field(
            "low_ms", LONG, "The other's clock less the node's is at least this, ms; null: no line bounds it."
        ),
        nullable_field("high_ms", LONG, "And at most this, ms; null: no line bounds it."),
        nullable_field("low_method", STRING, "What bounds it below.", accepted=METHODS),
        nullable_field("high_method", STRING, "What bounds it above.", accepted=METHODS),
        required_field("low_count", LONG, "Pairs of lines that bound it below."),
        required_field("high_count", LONG, "Pairs of lines that bound it above."),
        nullable_field(
            "drift_ppm",
            LONG,
            "By how much the other's clock runs faster, millionths, where lines contradict a constant difference, not "
            "this; the bounds are then those of until_at. Null: a constant one fits.",
        ),
        required_field("until_at", TIMESTAMP, "Last of these pairs, UTC, by the node's clock."),
        required_field(
            "is_step",
            BOOLEAN,
            "Neither a constant difference nor a drift fits: a clock was set. The bounds are null.",
        ),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("low_is_not_above_high", "low_ms IS NULL OR high_ms IS NULL OR low_ms <= high_ms"),
        Check("nodes_are_in_order", "node_id < other_id"),
    ),
)
