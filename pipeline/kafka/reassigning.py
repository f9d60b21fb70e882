"""When partitions of a cluster were being reassigned."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

PARTITION = ("cluster_id", "topic", "partition")
BEGINS = ("started", "listed", "resumed")
ENDS = ("removed", "completed", "failed", "skipped")
# From 2.4, where the assignment itself says what is being moved.
ASSIGNED = "reassignment_assignment_updating"


def reassigning(partition_timeline: DataFrame, reassignment_event: DataFrame) -> DataFrame:
    """(cluster_id, from_at, until_at; null: still at the end) of the reassignment of each partition.

    From 2.4 the assignment says what is being moved. Up to 2.3 it does not: there one goes on from the line that
    begins it, or that lists it at a controller's start, until it is taken out of the list or fails.
    Source: KafkaController.onPartitionReassignment, 0.8.1 to 2.3; updateCurrentReassignment, from 2.4.
    """
    told = partition_timeline.where("size(adding_replicas) > 0 OR size(removing_replicas) > 0").select(
        "cluster_id", F.col("valid_from_at").alias("from_at"), F.col("valid_until_at").alias("until_at")
    )
    order = Window.partitionBy(*PARTITION).orderBy("logged_at", "file_id", "byte_offset")
    begun = (
        reassignment_event.transform(steps)
        .withColumn("until_at", F.lead("logged_at").over(order))
        .where(F.col("step").isin(*BEGINS))
        .select("cluster_id", F.col("logged_at").alias("from_at"), "until_at")
    )
    return told.unionByName(begun)


def steps(reassignment_event: DataFrame) -> DataFrame:
    """The rows that begin or end one as lines up to 2.3 tell it."""
    is_told = F.col("step").isin(*BEGINS, *ENDS) & ~F.col("event").eqNullSafe(F.lit(ASSIGNED))
    return reassignment_event.where(F.col("topic").isNotNull() & F.col("logged_at").isNotNull() & is_told)
