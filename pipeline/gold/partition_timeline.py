"""Who led which partition when, from what controllers state line by line."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from schemas.gold.partition_timeline import SPEC

LEADER_EVENTS = (
    "partition_transition",
    "replica_removed_from_isr",
    "isr_updated",
    "alter_partition_updated",
    "leader_and_isr_sent",
    "update_metadata_sent",
    "reassignment_leader_and_isr_sent",
)
ASSIGNMENT_EVENTS = (
    "partition_transition",
    "topic_change",
    "partitions_to_be_added",
    "reassignment_assignment_updated",
    "leader_and_isr_sent",
    "update_metadata_sent",
)
BEING_DELETED = -2
GONE = "NonExistentPartition"
DELETED = "topic_deletion_completed"
LAST = (
    2**31 - 1
)  # an epoch after all others: the end of an era comes after what is said in its last millisecond
PARTITION = ("cluster_id", "topic", "topic_life", "partition")
TRACKED = ("state", "leader", "isr", "replicas", "leader_epoch")
SAYS_SOMETHING = " OR ".join(f"{name} IS NOT NULL" for name in TRACKED)


def build(
    leader_and_isr: DataFrame,
    partition_transition: DataFrame,
    topic_event: DataFrame,
    controller_line: DataFrame,
) -> DataFrame:
    """One row per interval in which nothing known of the partition changed.

    Rows: statements that repeat what is known begin no interval. A move to NonExistentPartition ends the last
    one, and so do the topic's deletion, a wiped cluster's next election and that of a KRaft controller.
    A statement with a lower leader epoch than one before it is stale (a deposed controller) and is left out.
    Source: lines of controllers only. A leader's own ISR changes reach them with the next metadata they send, from
    2.7 on (inter-broker protocol) at once; until then isr is as last stated.
    """
    statements = leader_and_isr.transform(stated, partition_transition)
    lines = controller_line.transform(places)
    lived = statements.transform(with_topic_life, topic_event, lines).transform(with_ends, lines)
    return lived.transform(without_stale).transform(filled).transform(intervals).select(*SPEC.columns)


def stated(leader_and_isr: DataFrame, partition_transition: DataFrame) -> DataFrame:
    """What each line says of a partition: state, leader, ISR, assignment; null where it does not say."""
    key = ("cluster_id", "file_id", "byte_offset", "topic", "partition")
    is_leader = F.col("event").isin(*LEADER_EVENTS) & (F.coalesce("leader", F.lit(0)) != BEING_DELETED)
    said = leader_and_isr.where("teller = 'controller'").select(
        *key,
        "event",
        F.when(is_leader, F.col("leader")).alias("leader"),
        F.when(is_leader, F.col("isr")).alias("isr"),
        F.when(is_leader, F.col("leader_epoch")).alias("leader_epoch"),
        F.when(F.col("event").isin(*ASSIGNMENT_EVENTS) & (F.size("replicas") > 0), F.col("replicas")).alias(
            "replicas"
        ),
        F.lit(None).cast("string").alias("to_state"),
        F.lit(False).alias("is_failed"),
    )
    moved = partition_transition.select(
        *key,
        F.lit("partition_transition").alias("event"),
        *("leader", "isr", "leader_epoch", "replicas", "to_state"),
        (F.col("outcome") == "failed").alias("is_failed"),
    )
    both = (
        said.unionByName(moved)
        .groupBy(*key)
        .agg(
            F.max("event").alias("event"),
            F.max("is_failed").alias("is_failed"),
            F.max("to_state").alias("state"),
            *(F.max(name).alias(name) for name in ("leader", "isr", "leader_epoch", "replicas")),
        )
    )
    return both.where("NOT is_failed").where(F.expr(SAYS_SOMETHING)).drop("cluster_id", "is_failed")


def places(controller_line: DataFrame) -> DataFrame:
    """Order over all terms: (at, controller_epoch, seq)."""
    return controller_line.select(
        F.col("event").alias("line_event"),
        "cluster_id", "file_id", "byte_offset", "term_id", "seq", "event_seq", F.col("ordered_at").alias("at"),
        F.split("term_id", "-")[0].cast("int").alias("life"),
        F.split("term_id", "-")[1].cast("int").alias("controller_epoch"),
    )  # fmt: skip


def with_topic_life(statements: DataFrame, topic_event: DataFrame, lines: DataFrame) -> DataFrame:
    """Statements and completed deletions in their places; one more life of the topic after each deletion."""
    deletions = topic_event.where("step = 'deletion_completed'").select("file_id", "byte_offset", "topic")
    both = statements.withColumn("is_deletion", F.lit(0)).unionByName(
        deletions.select("*", F.lit(DELETED).alias("event"), F.lit(1).alias("is_deletion")),
        allowMissingColumns=True,
    )
    order = Window.partitionBy("cluster_id", "topic").orderBy("life", *partition_order())
    deleted_before = F.sum("is_deletion").over(order.rowsBetween(Window.unboundedPreceding, -1))
    return both.join(lines.drop("line_event"), on=["file_id", "byte_offset"], how="inner").withColumn(
        "topic_life", (F.coalesce(deleted_before, F.lit(0)) + F.col("life")).cast("int")
    )


def with_ends(lived: DataFrame, lines: DataFrame) -> DataFrame:
    """Deletions and new eras as moves of every partition that they end.

    From 2.6 on moves to NonExistentPartition are not printed at the level as shipped.
    """
    said = lived.where("is_deletion = 0").drop("is_deletion")
    partitions = said.select(*PARTITION, "life").dropDuplicates()
    place = ("file_id", "byte_offset", "term_id", "seq", "event_seq", "at", "controller_epoch")
    deleted = (
        lived.where("is_deletion = 1")
        .select("cluster_id", "topic", "topic_life", "event", *place)
        .join(partitions, on=["cluster_id", "topic", "topic_life"], how="inner")
    )
    first = F.min(F.struct("at", "seq", "file_id", "byte_offset", "term_id", "event_seq", "line_event"))
    eras = lines.groupBy("cluster_id", "life").agg(first.alias("first"), F.max("at").alias("last_at"))
    begun = eras.select("cluster_id", F.col("life").alias("era"), "first.*").withColumnRenamed(
        "at", "begun_at"
    )
    outlived = (
        partitions.join(eras.select("cluster_id", "life", "last_at"), on=["cluster_id", "life"], how="inner")
        .join(begun.withColumnRenamed("line_event", "event"), on="cluster_id", how="inner")
        .where("era > life")
        .withColumn(
            "at", F.greatest("begun_at", "last_at")
        )  # a KRaft quorum starts beside the old controller
        .withColumn("controller_epoch", F.lit(LAST))
        .drop("era", "begun_at", "last_at")
    )
    ends = deleted.unionByName(outlived).withColumn("state", F.lit(GONE))
    return said.unionByName(ends, allowMissingColumns=True)


def partition_order() -> tuple[Column, ...]:
    return tuple(F.col(name) for name in ("at", "controller_epoch", "seq", "file_id", "byte_offset"))


def without_stale(lived: DataFrame) -> DataFrame:
    before = (
        Window.partitionBy(*PARTITION).orderBy(*partition_order()).rowsBetween(Window.unboundedPreceding, -1)
    )
    is_stale = F.coalesce(F.col("leader_epoch") < F.max("leader_epoch").over(before), F.lit(False))
    return lived.withColumn("is_stale", is_stale).where("NOT is_stale")


def filled(lived: DataFrame) -> DataFrame:
    """Each statement with all that is known after it; an Offline partition keeps the leader that Kafka keeps."""
    until_now = (
        Window.partitionBy(*PARTITION).orderBy(*partition_order()).rowsBetween(Window.unboundedPreceding, 0)
    )
    known = [F.last(name, ignorenulls=True).over(until_now).alias(name) for name in TRACKED]
    return lived.select(*(name for name in lived.columns if name not in TRACKED), *known)


def intervals(lived: DataFrame) -> DataFrame:
    order = Window.partitionBy(*PARTITION).orderBy(*partition_order())
    state = F.struct(*TRACKED)
    changed = lived.withColumn("is_same", state.eqNullSafe(F.lag(state).over(order))).where("NOT is_same")
    return (
        changed.withColumn("valid_until_at", F.lead("at").over(order))
        .withColumn("ended_by", F.lead("event").over(order))
        .withColumn("interval_seq", F.row_number().over(order).cast("long"))
        .where(F.coalesce(F.col("state") != GONE, F.lit(True)))
        .withColumn("valid_from_at", F.col("at"))
        .withColumn("certainty", F.lit("proved"))
        .withColumn("evidence", F.array(F.struct("file_id", "byte_offset")))
    )
