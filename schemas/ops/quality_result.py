"""What the gate and the oracles said about the rows of each run."""

from pyspark.sql.types import BooleanType, LongType, StringType, TimestampType

from schemas.spec import CLUSTER_ID, TableSpec, field, required

SPEC = TableSpec(
    name="ops.quality_result",
    grain="One expectation of one suite on the rows of one run.",
    key=("run_id", "table", "expectation"),
    fields=(
        CLUSTER_ID,
        required("run_id", StringType(), "The run."),
        required("suite", StringType(), "Suite of Great Expectations: the layer."),
        required("table", StringType(), "Table whose rows were looked at."),
        required("expectation", StringType(), "What was expected, by name."),
        required(
            "severity",
            StringType(),
            "critical: publishes nothing; warning.",
            accepted=("critical", "warning"),
        ),
        required("is_met", BooleanType(), "Whether it held."),
        field("unexpected_count", LongType(), "Rows that broke it."),
        field("sentence", StringType(), "Up to three of these rows, or what went wrong."),
        required("checked_at", TimestampType(), "When, UTC."),
    ),
)
