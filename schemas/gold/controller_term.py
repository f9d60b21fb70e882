"""Who was controller from when until when, and how each term ended."""

from pyspark.sql.types import IntegerType, LongType, StringType, TimestampType

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, TableSpec, field, required

ENDED_HOW = (
    "crashed",
    "shutdown",
    "session_expired",
    "znode_gone",
    "forced",
    "startup_failed",
    "superseded_unseen",
    "open",
)

SPEC = TableSpec(
    name="gold.controller_term",
    grain="One tenure of one controller.",
    key=("term_id",),
    fields=(
        CLUSTER_ID,
        required("term_id", StringType(), "'<life>-<epoch>'."),
        required("life", IntegerType(), "Ordinal of the life of the metadata, from 1."),
        required("controller_id", IntegerType(), "The broker or KRaft controller elected."),
        required("controller_epoch", IntegerType(), "Its controller epoch."),
        required(
            "mode", StringType(), "How the cluster keeps its metadata.", accepted=("zookeeper", "kraft")
        ),
        field("elected_at", TimestampType(), "When it was elected, UTC; null if no election line was seen."),
        field("ready_at", TimestampType(), "When its start-up was finished, UTC."),
        field("ready_ms", LongType(), "From election to ready, ms."),
        field("superseded_at", TimestampType(), "When the next term began, UTC."),
        required(
            "last_act_at",
            TimestampType(),
            "Last line of the term by the controller itself, UTC; else by others.",
        ),
        field("ended_at", TimestampType(), "When it ended, UTC; null while open or where nothing tells."),
        field(
            "ended_how",
            StringType(),
            "How it ended; null where the evidence does not decide (no controller.log of that node).",
            accepted=ENDED_HOW,
        ),
        field(
            "gap_ms", LongType(), "From its end to the next election, ms; below 0: two controllers at once."
        ),
        CERTAINTY,
        EVIDENCE,
    ),
)
