"""What the gate and the oracles said about the rows of each run."""

from schemas.spec import CLUSTER_ID, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, LONG, STRING, TIMESTAMP

SPEC = TableSpec(
    name="ops.quality_result",
    grain="One expectation of one suite on the rows of one run.",
    key=("run_id", "table", "expectation"),
    fields=(
        CLUSTER_ID,
        required_field("run_id", STRING, "The run."),
        required_field("suite", STRING, "Suite of Great Expectations: the layer."),
        required_field("table", STRING, "Table whose rows were looked at."),
        required_field("expectation", STRING, "What was expected, by name."),
        required_field(
            "severity",
            STRING,
            "critical: publishes nothing; warning.",
            accepted=("critical", "warning"),
        ),
        required_field("is_met", BOOLEAN, "Whether it held."),
        nullable_field("unexpected_count", LONG, "Rows that broke it."),
        nullable_field("sentence", STRING, "Up to three of these rows, or what went wrong."),
        required_field("checked_at", TIMESTAMP, "When, UTC."),
    ),
)
