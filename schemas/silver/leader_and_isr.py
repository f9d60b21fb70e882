"""Every statement about leader, ISR or assignment of a partition that a controller's line makes."""

from pyspark.sql.types import IntegerType, StringType, TimestampType

from schemas.spec import BROKER_IDS, BYTE_OFFSET, CLUSTER_ID, FILE_ID, LOAD_SEQ, TableSpec, field, required

SPEC = TableSpec(
    name="silver.leader_and_isr",
    grain="One line that states leader, ISR, leader epoch or assigned replicas of one partition; "
    "a line that states several partitions gives several rows.",
    key=("file_id", "byte_offset", "topic", "partition"),
    fields=(
        CLUSTER_ID,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required("logged_at", TimestampType(), "When it was logged, UTC."),
        field("node_id", IntegerType(), "Node whose file holds the line."),
        required("event", StringType(), "What the line is, e.g. partition_transition, update_metadata_sent."),
        required("teller", StringType(), "Who says so.", accepted=("controller", "broker")),
        field("controller_id", IntegerType(), "The controller acting."),
        field("controller_epoch", IntegerType(), "Its epoch."),
        required("topic", StringType(), "Topic."),
        required("partition", IntegerType(), "Partition."),
        field(
            "leader",
            IntegerType(),
            "Leader: a broker, -1 none, -2 being deleted; null if the line does not say.",
        ),
        field("leader_epoch", IntegerType(), "Leader epoch."),
        field("isr", BROKER_IDS, "In-sync replicas."),
        field("replicas", BROKER_IDS, "Assigned replicas, preferred leader first."),
    ),
)
