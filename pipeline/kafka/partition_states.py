"""The states that KRaft nodes print of each partition, one a partition epoch, in the order of these epochs."""

from datetime import datetime

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.kraft_offices import LINE
from schemas.gold import partition_timeline

# How late lines of a state still tell of it when the next one is known: brokers apply a change one after another.
GRACE_SECONDS = 60
IDENTITY = ("cluster_id", "topic_id", "partition")
HELD = ("leader", "leader_epoch", "isr")
ASSIGNED = tuple(
    name
    for name in ("replicas", "adding_replicas", "removing_replicas")
    if name in partition_timeline.SPEC.columns
)
PRINTED = (*IDENTITY, "topic", "partition_epoch", "at", *HELD, *ASSIGNED, *LINE)


def identified(partition_state: DataFrame, before: DataFrame, cut: datetime | None) -> DataFrame:
    """Lines (silver.partition_state) from the cut on, each with at and the id of its topic.

    Lines of followers name no id: it is that of the last line of the same topic in the file that names one, else
    that of the topic of the name that was seen last. before: rows of gold.partition_timeline.
    """
    so_far = Window.partitionBy("cluster_id", "file_id", "topic").orderBy("byte_offset")
    told = partition_state.withColumn("at", F.col("logged_at")).withColumn(
        "topic_id", F.coalesce("topic_id", F.last("topic_id", ignorenulls=True).over(so_far))
    )
    seen = before.select("cluster_id", "topic", "topic_id", F.col("valid_from_at").alias("at")).unionByName(
        told.where("topic_id IS NOT NULL").select("cluster_id", "topic", "topic_id", "at")
    )
    named = seen.groupBy("cluster_id", "topic", "topic_id").agg(F.min("at").alias("named_at"))
    order = Window.partitionBy("cluster_id", "topic").orderBy("named_at", "topic_id")
    spans = named.withColumn("renamed_at", F.lead("named_at").over(order)).withColumnRenamed(
        "topic_id", "by_name"
    )
    nameless = told.where("topic_id IS NULL").drop("topic_id").alias("l")
    is_then = (F.col("l.at") >= F.col("named_at")) & (
        F.col("renamed_at").isNull() | (F.col("l.at") < F.col("renamed_at"))
    )
    by_name = (
        nameless.join(spans, on=["cluster_id", "topic"], how="inner")
        .where(is_then)
        .withColumnRenamed("by_name", "topic_id")
        .drop("named_at", "renamed_at")
    )
    lines = told.where("topic_id IS NOT NULL").unionByName(by_name)
    return lines if cut is None else lines.where(F.col("at") >= F.lit(cut))


def printed(lines: DataFrame) -> DataFrame:
    """Of the lines those that say which state a partition is in then: of brokers, and decisions."""
    is_state = F.col("partition").isNotNull() & F.col("partition_epoch").isNotNull()
    is_said = (F.col("step") == "stated") | F.col("is_decided")
    return lines.where(is_state & is_said).select(
        *PRINTED,
        (F.col("step") == "changed").alias("is_change"),
        (F.col("step") == "created").alias("is_birth"),
    )


def states(printed: DataFrame) -> DataFrame:
    """One row per partition epoch that is known when it begins: at, the first line, and what its lines say.

    Where only a change was printed, what it leaves out is as it was before. Lines that come when a later epoch is
    known for a minute, as when a process starts and prints all it has, tell nothing; an epoch that is known only
    by then has no row.
    """
    grace = F.make_dt_interval(secs=F.lit(GRACE_SECONDS))
    whole = Window.partitionBy(*IDENTITY)
    later = whole.orderBy("partition_epoch").rangeBetween(1, Window.unboundedFollowing)
    in_time = printed.withColumn("superseded_at", F.min("at").over(later)).where(
        F.col("superseded_at").isNull() | (F.col("at") <= F.col("superseded_at") + grace)
    )
    first = F.min_by(F.struct(*LINE), F.struct("at", "file_id", "byte_offset")).alias("line")
    said = [F.max(name).alias(name) for name in (*HELD, *ASSIGNED)]
    by_epoch = in_time.groupBy(*IDENTITY, "partition_epoch").agg(
        F.min("topic").alias("topic"),
        F.min("at").alias("at"),
        F.min("superseded_at").alias("superseded_at"),
        F.min("is_change").alias("is_change"),
        F.max("first_seq").alias("first_seq"),
        F.max("known_certainty").alias("known_certainty"),
        first,
        *said,
    )
    so_far = whole.orderBy("partition_epoch").rowsBetween(Window.unboundedPreceding, 0)
    carried = {
        name: F.coalesce(name, F.when(F.col("is_change"), F.last(name, ignorenulls=True).over(so_far)))
        for name in HELD
    }
    return (
        by_epoch.withColumns(carried)
        .where("superseded_at IS NULL OR at < superseded_at")
        .select(
            *IDENTITY,
            "topic",
            "partition_epoch",
            "at",
            *HELD,
            *ASSIGNED,
            "first_seq",
            "known_certainty",
            "line.*",
        )
    )


def seeds(before: DataFrame) -> DataFrame:
    """Of each partition of rows of gold.partition_timeline the last state that was printed before the cut."""
    last = F.max_by(F.struct(*before.columns), "interval_seq").alias("last")
    line = F.col("evidence")[0]
    return (
        before.where("partition_epoch IS NOT NULL")
        .groupBy(*IDENTITY)
        .agg(last)
        .select("last.*")
        .select(
            *IDENTITY, "topic", "partition_epoch", F.col("valid_from_at").alias("at"), *HELD, *ASSIGNED,
            F.lit("").alias("event"), line["file_id"].alias("file_id"), line["byte_offset"].alias("byte_offset"),
            F.lit(False).alias("is_change"), F.lit(True).alias("is_birth"), F.col("interval_seq").alias("first_seq"),
            F.col("certainty").alias("known_certainty"),
        )
    )  # fmt: skip


def with_seeds(printed: DataFrame, seeds: DataFrame, term: DataFrame) -> DataFrame:
    """What is printed from the cut on after the last state before it, that state first.

    Of a cluster that was in ZooKeeper mode, where brokers print the same, from the partition's record on with which
    KRaft takes it over.
    """
    known = F.max(F.when(F.col("first_seq").isNotNull(), F.col("partition_epoch")))
    born = F.min(F.when(F.col("is_birth"), F.col("at")))
    whole = Window.partitionBy(*IDENTITY)
    migrated = (
        term.where("mode = 'zookeeper'").select("cluster_id", F.lit(True).alias("is_migrated")).distinct()
    )
    return (
        seeds.unionByName(printed, allowMissingColumns=True)
        .join(F.broadcast(migrated), on="cluster_id", how="left")
        .withColumns({"known_epoch": known.over(whole), "born_at": born.over(whole)})
        .where("known_epoch IS NULL OR partition_epoch >= known_epoch")
        .where("is_migrated IS NULL OR at >= born_at")
        .drop("known_epoch", "born_at", "is_migrated")
    )
