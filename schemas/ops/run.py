"""What ran and what it published: the newest row names the version of every table that readers see."""

from pyspark.sql.types import IntegerType, LongType, MapType, StringType, TimestampType

from schemas.spec import CLUSTER_ID, TableSpec, field, required

OUTCOMES = ("published", "nothing_new", "gate_failed")

SPEC = TableSpec(
    name="ops.run",
    grain="One run of a job on one cluster; writing the row is the commit.",
    key=("run_id",),
    fields=(
        CLUSTER_ID,
        required("run_id", StringType(), "Name of the run."),
        required(
            "run_seq", LongType(), "Number of the run in this cluster, from 1; the highest is the newest."
        ),
        required("job", StringType(), "Job that ran."),
        required("started_at", TimestampType(), "Start, UTC."),
        required("ended_at", TimestampType(), "End, UTC."),
        required("outcome", StringType(), "What came of it.", accepted=OUTCOMES),
        required("format_version", IntegerType(), "Version of the warehouse's layout."),
        required("product_version", StringType(), "Version of this product."),
        required("settings_fingerprint", StringType(), "SHA-256 of the settings that decide results."),
        required("knowledge_fingerprint", StringType(), "SHA-256 of templates, machines and rules."),
        required("settings", StringType(), "The settings that decide results, JSON."),
        required(
            "table_versions", MapType(StringType(), LongType(), False), "Published Delta version by table."
        ),
        required("counts", MapType(StringType(), LongType(), False), "What was read, understood, written."),
        field("sentence", StringType(), "Why nothing was published."),
    ),
)
