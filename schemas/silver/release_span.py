"""Which release of Kafka a node ran when, as far as its lines tell."""

from pyspark.sql.types import ArrayType, IntegerType, StringType, TimestampType

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, Check, TableSpec, field, required

BEGINNINGS = (
    "first",  # the first line of the node that was seen
    "start",  # a process starts
    "change",  # lines of another release, and no start was seen between
)

SPEC = TableSpec(
    name="silver.release_span",
    grain="One stretch of time in which one node ran one release, known as a range.",
    key=("node_id", "valid_from_at"),
    fields=(
        CLUSTER_ID,
        field("node_id", IntegerType(), "The broker or controller; null: files of which nothing tells it."),
        required("valid_from_at", TimestampType(), "First line of the stretch, UTC."),
        required(
            "valid_until_at",
            TimestampType(),
            "End, UTC, exclusive: just after its last line. What lies before the next stretch is not known.",
        ),
        field("since_release", StringType(), "Oldest release that it can be."),
        field(
            "until_release",
            StringType(),
            "Newest release that it can be; null: the newest known one, or one after it.",
        ),
        required(
            "releases", ArrayType(StringType(), False), "All releases that it can be, the oldest first."
        ),
        required(
            "source",
            StringType(),
            "lines: what only some releases print; setting: `release` in conf.",
            accepted=("lines", "setting"),
        ),
        required("begins_with", StringType(), "What the stretch begins with.", accepted=BEGINNINGS),
        CERTAINTY,
        field("reason", StringType(), "Why it is undetermined."),
        EVIDENCE,
    ),
    checks=(Check("ends_after_it_begins", "valid_until_at > valid_from_at"),),
)
