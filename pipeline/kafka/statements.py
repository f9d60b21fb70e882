"""What controllers' lines say of partitions, one after another: state, leader, ISR, assignment, deletion."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

REASSIGNED = "reassignment_assignment_updated"
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
    REASSIGNED,
    "leader_and_isr_sent",
    "update_metadata_sent",
)
BEING_DELETED = -2
GONE = "NonExistentPartition"
DELETED = "topic_deletion_completed"
QUEUED, COMPLETED = "deletion_queued", "deletion_completed"
# An epoch after all others: the end of an era comes after what is said in its last millisecond.
LAST = 2**31 - 1
PARTITION = ("cluster_id", "topic", "topic_life", "partition")
MOVING = ("adding_replicas", "removing_replicas")
STATED = ("state", "leader", "isr", "replicas", "leader_epoch", *MOVING)
TRACKED = (*STATED, "is_deleting")
SAYS_SOMETHING = " OR ".join(f"{name} IS NOT NULL" for name in STATED)


def statements(
    leader_and_isr: DataFrame,
    partition_transition: DataFrame,
    assignment: DataFrame,
    topic_event: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    deletion_before: DataFrame,
    before: DataFrame,
    mentioned: DataFrame | None = None,
) -> DataFrame:
    """One row per line and partition that it states something of, or whose topic it deletes, in its place.

    Of the lines that are given. deletion_before: (cluster_id, topic, deletions) completed before them. before:
    (PARTITION, life, at) of partitions that were there before them. mentioned: (file_id, byte_offset, event, topic,
    partition, ...) of lines that name partitions and state nothing: rows all the same, with their further columns.
    Columns: PARTITION, TRACKED (null: not said), event, cause, term_id, and the place: at, controller_epoch, seq,
    file_id, byte_offset, event_seq.
    """
    lines = controller_line.transform(places)
    said = leader_and_isr.transform(stated, partition_transition, assignment)
    if mentioned is not None:
        said = said.unionByName(mentioned, allowMissingColumns=True)
    lived = said.transform(with_topic_life, topic_event, lines, deletion_before)
    return lived.transform(with_ends, lines, term, before)


def life() -> Column:
    """Of a term_id: which life of the cluster's metadata."""
    return F.split("term_id", "-")[0].cast("int")


def known_before(intervals: DataFrame) -> DataFrame:
    """(PARTITION, life, at) of intervals of gold.partition_timeline, as statements() wants it."""
    return intervals.select(*PARTITION, life().alias("life"), F.col("valid_from_at").alias("at"))


def stated(leader_and_isr: DataFrame, partition_transition: DataFrame, assignment: DataFrame) -> DataFrame:
    """What each line says of a partition: state, leader, ISR, assignment and what of it is being moved (from 2.4);
    null where it does not say."""
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
    moving = assignment.where(F.col("event") == REASSIGNED).select(
        *key, "event", *MOVING, F.lit(False).alias("is_failed")
    )
    both = (
        said.unionByName(moved)
        .unionByName(moving.where("topic IS NOT NULL"), allowMissingColumns=True)
        .groupBy(*key)
        .agg(
            F.max("event").alias("event"),
            F.max("is_failed").alias("is_failed"),
            F.max("to_state").alias("state"),
            *(F.max(name).alias(name) for name in ("leader", "isr", "leader_epoch", "replicas", *MOVING)),
        )
    )
    return both.where("NOT is_failed").where(F.expr(SAYS_SOMETHING)).drop("cluster_id", "is_failed")


def places(controller_line: DataFrame) -> DataFrame:
    """Order over all terms: (at, controller_epoch, seq)."""
    return controller_line.select(
        F.col("event").alias("line_event"),
        "cluster_id", "file_id", "byte_offset", "term_id", "seq", "event_seq", "cause", "logged_at",
        F.col("ordered_at").alias("at"),
        life().alias("life"), F.split("term_id", "-", 2)[1].cast("int").alias("controller_epoch"),
    )  # fmt: skip


def with_topic_life(
    statements: DataFrame, topic_event: DataFrame, lines: DataFrame, deletion_before: DataFrame
) -> DataFrame:
    """Statements, and deletions queued and completed, in their places; one more life of the topic after each that is
    completed. step: that of a deletion, null of statements."""
    deletions = topic_event.where(F.col("step").isin(QUEUED, COMPLETED)).select(
        "file_id", "byte_offset", "topic", "step"
    )
    named = deletions.withColumn(
        "event", F.when(F.col("step") == COMPLETED, DELETED).otherwise(F.col("step"))
    )
    both = statements.unionByName(named, allowMissingColumns=True)
    order = Window.partitionBy("cluster_id", "topic").orderBy("life", *partition_order())
    is_deletion = F.coalesce(F.col("step") == COMPLETED, F.lit(False)).cast("int")
    deleted_before = F.sum(is_deletion).over(order.rowsBetween(Window.unboundedPreceding, -1))
    placed = both.join(lines.drop("line_event"), on=["file_id", "byte_offset"], how="inner")
    earlier = placed.join(F.broadcast(deletion_before), on=["cluster_id", "topic"], how="left")
    number = F.coalesce(deleted_before, F.lit(0)) + F.coalesce("deletions", F.lit(0))
    return earlier.withColumn("topic_life", (number + F.col("life")).cast("int")).drop("deletions")


def with_ends(lived: DataFrame, lines: DataFrame, term: DataFrame, before: DataFrame) -> DataFrame:
    """Deletions and new eras as statements on every partition that they are about: is_deleting once its topic is
    queued, and the moves that end it.

    From 2.6 on moves to NonExistentPartition are not printed at the level as shipped.
    """
    said = lived.where("step IS NULL").drop("step")
    known = said.select(*PARTITION, "life", "at").unionByName(before)
    partitions = known.groupBy(*PARTITION, "life").agg(F.min("at").alias("known_from_at"))
    place = ("file_id", "byte_offset", "term_id", "seq", "event_seq", "cause", "at", "controller_epoch")
    of_topic = (
        lived.where("step IS NOT NULL")
        .select("cluster_id", "topic", "topic_life", "event", "step", *place)
        .join(partitions, on=["cluster_id", "topic", "topic_life"], how="inner")
        .where("known_from_at <= at")
        .drop("known_from_at")
    )
    queued = of_topic.where(F.col("step") == QUEUED).withColumn("is_deleting", F.lit(True)).drop("step")
    deleted = of_topic.where(F.col("step") == COMPLETED).drop("step")
    first = F.min(
        F.struct("at", "seq", "file_id", "byte_offset", "term_id", "event_seq", "cause", "line_event")
    )
    eras = lines.groupBy("cluster_id", "life").agg(first.alias("first"), F.max("at").alias("last_at"))
    modes = term.groupBy("cluster_id", F.col("life").alias("era")).agg(
        F.bool_or(F.col("mode") == "kraft").alias("is_kraft")
    )
    begun = (
        eras.select("cluster_id", F.col("life").alias("era"), "first.*")
        .withColumnRenamed("at", "begun_at")
        .join(F.broadcast(modes), on=["cluster_id", "era"], how="left")
        .join(
            before.select("cluster_id", F.col("life").alias("era")).distinct(),
            ["cluster_id", "era"],
            "left_anti",
        )
    )
    outlived = (
        partitions.join(eras.select("cluster_id", "life", "last_at"), on=["cluster_id", "life"], how="left")
        .join(begun.withColumnRenamed("line_event", "event"), on="cluster_id", how="inner")
        .where("era > life")
        # A KRaft quorum begins beside the old controller, a wiped cluster after it.
        .withColumn(
            "at", F.when(F.col("is_kraft"), F.greatest("begun_at", "last_at")).otherwise(F.col("begun_at"))
        )
        .withColumn("controller_epoch", F.lit(LAST))
        .drop("era", "begun_at", "last_at", "known_from_at", "is_kraft")
    )
    ends = deleted.unionByName(outlived).withColumn("state", F.lit(GONE))
    return said.unionByName(ends, allowMissingColumns=True).unionByName(queued, allowMissingColumns=True)


def partition_order() -> tuple[Column, ...]:
    return tuple(F.col(name) for name in ("at", "controller_epoch", "seq", "file_id", "byte_offset"))
