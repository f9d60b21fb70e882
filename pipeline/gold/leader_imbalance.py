"""Each broker's leader imbalance ratio over time, exactly by Kafka's rule, from the partition timeline."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.balancing import with_balancing
from schemas.gold.leader_imbalance import SPEC


def build(
    partition_timeline: DataFrame,
    term: DataFrame,
    balancing_setting: DataFrame,
    broker_setting: DataFrame,
) -> DataFrame:
    """One row per interval of one broker in which its two counts did not change.

    balancing_setting: what conf and given files say; broker_setting: what brokers print (see kafka.balancing).
    Rule: partitions with an assignment whose topic is not queued for deletion, grouped by the head of the
    assignment; of them those with a known leader that is not the head; breach when ratio > threshold, strictly.
    Cost: two deltas per interval of the timeline, summed per broker and controller event.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    counts = partition_timeline.transform(counted).transform(deltas).transform(running_counts)
    return (
        counts.transform(with_certainty, term)
        .transform(with_balancing, "broker_id", balancing_setting, broker_setting)
        .transform(with_threshold, term)
        .select(*SPEC.columns)
    )


def counted(partition_timeline: DataFrame) -> DataFrame:
    """The intervals that count, with the event that ended each."""
    order = Window.partitionBy("cluster_id", "topic", "topic_life", "partition").orderBy("interval_seq")
    return partition_timeline.withColumn(
        "until_place", F.lead(F.struct("term_id", "event_seq")).over(order)
    ).where("replicas IS NOT NULL AND NOT is_deleting")


def deltas(intervals: DataFrame) -> DataFrame:
    """What each interval adds to its preferred leader when it begins, and takes away when it ends."""
    head = F.col("replicas")[0]
    is_elsewhere = F.coalesce(F.col("leader") != head, F.lit(False)).cast("long")
    line = F.col("evidence")[0].alias("line")
    common = (F.col("cluster_id"), head.alias("broker_id"), line)
    begun = intervals.select(
        *common, "term_id", "event_seq", F.col("valid_from_at").alias("at"),
        F.lit(1).cast("long").alias("preferred"), is_elsewhere.alias("elsewhere"),
    )  # fmt: skip
    ended = intervals.where("valid_until_at IS NOT NULL").select(
        *common, "until_place.term_id", "until_place.event_seq", F.col("valid_until_at").alias("at"),
        F.lit(-1).cast("long").alias("preferred"), (-is_elsewhere).alias("elsewhere"),
    )  # fmt: skip
    return begun.unionByName(ended)


def running_counts(changes: DataFrame) -> DataFrame:
    """Counts after each controller event, at the time of its last change; events that change no count give no row."""
    by_event = changes.groupBy("cluster_id", "broker_id", "term_id", "event_seq").agg(
        F.sum("preferred").alias("preferred"),
        F.sum("elsewhere").alias("elsewhere"),
        F.max("at").alias("at"),
        F.max_by("line", "at").alias("line"),
    )
    at_once = (
        by_event.where("preferred <> 0 OR elsewhere <> 0")
        .groupBy("cluster_id", "broker_id", "at")
        .agg(
            F.sum("preferred").alias("preferred"),
            F.sum("elsewhere").alias("elsewhere"),
            F.first("line").alias("line"),
        )
    )
    order = Window.partitionBy("cluster_id", "broker_id").orderBy("at")
    until_now = order.rowsBetween(Window.unboundedPreceding, 0)
    return (
        at_once.withColumn("preferred_count", F.sum("preferred").over(until_now))
        .withColumn("led_elsewhere_count", F.sum("elsewhere").over(until_now))
        .withColumn("valid_from_at", F.col("at"))
        .withColumn("valid_until_at", F.lead("at").over(order))
        .withColumn("evidence", F.array("line"))
        .where("preferred_count > 0")
        .withColumn("imbalance_ratio", F.col("led_elsewhere_count").cast("double") / F.col("preferred_count"))
    )


def with_certainty(counts: DataFrame, term: DataFrame) -> DataFrame:
    """Undetermined where a term since the cluster's first one was not seen: assignments may be missing then."""
    whole = term.groupBy("cluster_id", "life").agg(
        (F.min("controller_epoch") == 1).alias("from_first"),
        (F.max("controller_epoch") == F.count(F.when(F.col("elected_at").isNotNull(), 1))).alias(
            "without_gap"
        ),
    )
    complete = whole.groupBy("cluster_id").agg(
        F.min(F.col("from_first") & F.col("without_gap")).alias("is_complete")
    )
    return counts.join(F.broadcast(complete), on="cluster_id", how="left").withColumn(
        "certainty", F.when(F.col("is_complete"), "inferred").otherwise("undetermined")
    )


def with_threshold(counts: DataFrame, term: DataFrame) -> DataFrame:
    """KRaft controllers never read leader.imbalance.per.broker.percentage: no threshold and no breach there."""
    mode = term.groupBy("cluster_id").agg(F.max_by("mode", "last_seen_at").alias("mode"))
    is_read = F.col("mode") == "zookeeper"
    return (
        counts.join(F.broadcast(mode), on="cluster_id", how="left")
        .withColumns({name: F.when(is_read, F.col(name)) for name in ("threshold_ratio", "limit_source")})
        .withColumn("is_breach", F.col("imbalance_ratio") > F.col("threshold_ratio"))
    )
