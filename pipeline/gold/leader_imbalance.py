"""Each broker's leader imbalance ratio over time, exactly by Kafka's rule, from the partition timeline."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.acting import SEQ_BITS
from schemas.gold.leader_imbalance import SPEC

SUMMED = ("preferred", "elsewhere", "unsure")


def build(
    partition_timeline: DataFrame,
    term: DataFrame,
    imbalance_limit: DataFrame,
) -> DataFrame:
    """One row per interval of one broker in which its two counts did not change, nor whether they are known.

    imbalance_limit: (cluster_id, broker_id, threshold_ratio), broker_id null for the cluster's own.
    Rule: partitions with an assignment whose topic is not queued for deletion, grouped by the head of the
    assignment; of them those with a known leader that is not the head; breach when ratio > threshold, strictly.
    Cost: two deltas per interval of the timeline, summed per broker and controller event.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9. A KRaft controller computes no ratio, but
    a set of the same partitions: PartitionRegistration.hasPreferredLeader, from 3.2.
    """
    counts = partition_timeline.transform(counted).transform(deltas).transform(running_counts)
    return (
        counts.transform(with_certainty, partition_timeline, term)
        .transform(with_threshold, term, imbalance_limit)
        .select(*SPEC.columns)
    )


def counted(partition_timeline: DataFrame) -> DataFrame:
    """The intervals that count, with the event that ended each; none follows one that a removed topic ended."""
    order = Window.partitionBy("cluster_id", "topic", "topic_life", "partition").orderBy("interval_seq")
    at_end = F.struct("term_id", (F.unix_millis("valid_until_at") * F.lit(1 << SEQ_BITS)).alias("event_seq"))
    place = F.coalesce(F.lead(F.struct("term_id", "event_seq")).over(order), at_end)
    return partition_timeline.withColumn("until_place", place).where(
        "replicas IS NOT NULL AND NOT is_deleting"
    )


def deltas(intervals: DataFrame) -> DataFrame:
    """What each interval adds to its preferred leader when it begins, and takes away when it ends."""
    head = F.col("replicas")[0]
    is_elsewhere = F.coalesce(F.col("leader") != head, F.lit(False)).cast("long")
    is_unsure = F.col("certainty") == "undetermined"
    own = F.array(counts(head, F.lit(1).cast("long"), is_elsewhere, is_unsure.cast("long")))
    none, one = F.lit(0).cast("long"), F.lit(1).cast("long")
    # Where the leader is known it is the assignment that is not: each replica may be the preferred leader.
    others = F.transform(
        F.slice("replicas", 2, F.size("replicas")), lambda each: counts(each, none, none, one)
    )
    parts = F.inline(F.when(is_unsure & F.col("leader").isNotNull(), F.concat(own, others)).otherwise(own))
    line = F.col("evidence")[0].alias("line")
    begun = intervals.select(
        "cluster_id", line, "term_id", "event_seq", F.col("valid_from_at").alias("at"), parts
    )
    ended = (
        intervals.where("valid_until_at IS NOT NULL")
        .select(
            *("cluster_id", line, "until_place.term_id", "until_place.event_seq"),
            F.col("valid_until_at").alias("at"),
            parts,
        )
        .withColumns({name: -F.col(name) for name in SUMMED})
    )
    return begun.unionByName(ended)


def counts(broker_id: Column, *values: Column) -> Column:
    named = (value.alias(name) for value, name in zip(values, SUMMED, strict=True))
    return F.struct(broker_id.alias("broker_id"), *named)


def running_counts(changes: DataFrame) -> DataFrame:
    """Counts after each controller event, at the time of its last change; events that change no count give no row."""
    by_event = changes.groupBy("cluster_id", "broker_id", "term_id", "event_seq").agg(
        *(F.sum(name).alias(name) for name in SUMMED),
        F.max("at").alias("at"),
        F.max_by("line", "at").alias("line"),
    )
    at_once = (
        by_event.where("preferred <> 0 OR elsewhere <> 0 OR unsure <> 0")
        .groupBy("cluster_id", "broker_id", "at")
        .agg(*(F.sum(name).alias(name) for name in SUMMED), F.first("line").alias("line"))
    )
    order = Window.partitionBy("cluster_id", "broker_id").orderBy("at")
    until_now = order.rowsBetween(Window.unboundedPreceding, 0)
    return (
        at_once.withColumn("preferred_count", F.sum("preferred").over(until_now))
        .withColumn("led_elsewhere_count", F.sum("elsewhere").over(until_now))
        .withColumn("unsure_count", F.sum("unsure").over(until_now))
        .withColumn("valid_from_at", F.col("at"))
        .withColumn("valid_until_at", F.lead("at").over(order))
        .withColumn("evidence", F.array("line"))
        .where("preferred_count > 0")
        .withColumn("imbalance_ratio", F.col("led_elsewhere_count").cast("double") / F.col("preferred_count"))
    )


def with_certainty(counts: DataFrame, partition_timeline: DataFrame, term: DataFrame) -> DataFrame:
    """Undetermined where a term since the cluster's first one was not seen: assignments may be missing then; and while
    the leader of one of the broker's partitions is not known.

    In KRaft, whose epochs have gaps, where the creation of a partition was not seen: its record has partition epoch 0,
    but one taken over from ZooKeeper.
    """
    unborn = partition_timeline.where("topic_id IS NOT NULL AND interval_seq = 1").where(
        "partition_epoch <> 0"
    )
    of_zookeeper = term.where("mode = 'zookeeper'").select("cluster_id")
    late = unborn.join(of_zookeeper, on="cluster_id", how="left_anti").select("cluster_id").distinct()
    whole = (
        term.where("mode = 'zookeeper'")
        .groupBy("cluster_id", "life")
        .agg(
            (F.min("controller_epoch") == 1).alias("from_first"),
            (F.max("controller_epoch") == F.count(F.when(F.col("elected_at").isNotNull(), 1))).alias(
                "without_gap"
            ),
        )
    )
    complete = whole.groupBy("cluster_id").agg(
        F.min(F.col("from_first") & F.col("without_gap")).alias("is_complete")
    )
    taken = partition_timeline.where("topic_id IS NOT NULL").groupBy("cluster_id")
    is_in_kraft = F.coalesce(F.col("valid_from_at") >= F.col("kraft_at"), F.lit(False))
    is_all_seen = F.when(is_in_kraft, F.col("is_late").isNull()).otherwise(F.col("is_complete"))
    is_known = is_all_seen & (F.col("unsure_count") == 0)
    return (
        counts.join(F.broadcast(complete), on="cluster_id", how="left")
        .join(F.broadcast(taken.agg(F.min("valid_from_at").alias("kraft_at"))), on="cluster_id", how="left")
        .join(F.broadcast(late.withColumn("is_late", F.lit(True))), on="cluster_id", how="left")
        .withColumn("certainty", F.when(is_known, "inferred").otherwise("undetermined"))
    )


def with_threshold(counts: DataFrame, term: DataFrame, imbalance_limit: DataFrame) -> DataFrame:
    """KRaft controllers never read leader.imbalance.per.broker.percentage: no threshold and no breach there."""
    mode = term.groupBy("cluster_id").agg(F.max_by("mode", "last_seen_at").alias("mode"))
    own = imbalance_limit.where("broker_id IS NOT NULL").withColumnRenamed("threshold_ratio", "own_ratio")
    general = imbalance_limit.where("broker_id IS NULL").select(
        "cluster_id", F.col("threshold_ratio").alias("cluster_ratio")
    )
    limit = F.when(F.col("mode") == "zookeeper", F.coalesce("own_ratio", "cluster_ratio"))
    return (
        counts.join(F.broadcast(mode), on="cluster_id", how="left")
        .join(F.broadcast(general), on="cluster_id", how="left")
        .join(F.broadcast(own), on=["cluster_id", "broker_id"], how="left")
        .withColumn("threshold_ratio", limit)
        .withColumn("is_breach", F.col("imbalance_ratio") > F.col("threshold_ratio"))
    )
