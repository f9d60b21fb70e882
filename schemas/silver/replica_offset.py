"""Where a broker's log of a partition ends when it begins to lead or to follow."""

from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType

from schemas.spec import RECORD, TableSpec, required

SPEC = TableSpec(
    name="silver.replica_offset",
    grain="One line of a broker that begins to lead or to follow a partition (from 2.6).",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required("topic", StringType(), "Topic."),
        required("partition", IntegerType(), "Partition."),
        required("broker_id", IntegerType(), "The broker."),
        required("is_leader", BooleanType(), "It leads from now on; else it follows."),
        required("leader_epoch", IntegerType(), "Leader epoch that it begins with."),
        required("log_end_offset", LongType(), "Offset after its last record."),
    ),
)
