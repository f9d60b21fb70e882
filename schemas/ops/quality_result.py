"""What the gate and the oracles said about the rows of each run."""

from schemas.spec import CLUSTER_ID, TableSpec, field, required
from schemas.types import BOOLEAN, LONG, STRING, TIMESTAMP

SPEC = TableSpec(
    name="ops.quality_result",
    grain="One expectation of one suite on the rows of one run.",
    key=("run_id", "table", "expectation"),
    fields=(
        CLUSTER_ID,
        required("run_id", STRING, "The run."),
        required("suite", STRING, "Suite of Great Expectations: the layer."),
        required("table", STRING, "Table whose rows were looked at."),
        required("expectation", STRING, "What was expected, by name."),
        required(
            "severity",
            STRING,
            "critical: publishes nothing; warning.",
            accepted=("critical", "warning"),
        ),
        required("is_met", BOOLEAN, "Whether it held."),
        field("unexpected_count", LONG, "Rows that broke it."),
        field("sentence", STRING, "Up to three of these rows, or what went wrong."),
        required("checked_at", TIMESTAMP, "When, UTC."),
    ),
)
