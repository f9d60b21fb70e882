"""Each broker's leader imbalance ratio over time, exactly by Kafka's rule, from the partition timeline."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from schemas.gold.leader_imbalance import SPEC


def build(
    partition_timeline: DataFrame,
    topic_event: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    imbalance_limit: DataFrame,
) -> DataFrame:
    """One row per interval of one broker in which its two counts did not change.

    imbalance_limit: (cluster_id, broker_id, threshold_ratio), broker_id null for the cluster's own.
    Rule: partitions with an assignment whose topic is not queued for deletion, grouped by the head of the
    assignment; of them those with a known leader that is not the head; breach when ratio > threshold, strictly.
    Cost: two deltas per interval of the timeline, summed per broker and controller event.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    counted = partition_timeline.transform(until_queued, topic_event, controller_line)
    counts = counted.transform(deltas).transform(running_counts)
    return (
        counts.transform(with_certainty, term)
        .transform(with_threshold, term, imbalance_limit)
        .select(*SPEC.columns)
    )


def until_queued(
    partition_timeline: DataFrame, topic_event: DataFrame, controller_line: DataFrame
) -> DataFrame:
    """The part of each interval before the topic was queued for deletion, with the event that ended it."""
    place = controller_line.select(
        "cluster_id", "file_id", "byte_offset", "term_id", "event_seq", F.col("ordered_at").alias("queued_at")
    )
    queued = (
        topic_event.where("step = 'deletion_queued'")
        .select("file_id", "byte_offset", "topic")
        .join(place, on=["file_id", "byte_offset"], how="inner")
        .select("cluster_id", "topic", "queued_at", F.struct("term_id", "event_seq").alias("queued_by"))
    )
    lives = partition_timeline.groupBy("cluster_id", "topic", "topic_life").agg(
        F.min("valid_from_at").alias("life_from_at")
    )
    lived = lives.withColumn(
        "life_until_at",
        F.lead("life_from_at").over(Window.partitionBy("cluster_id", "topic").orderBy("topic_life")),
    )
    in_life = (F.col("queued_at") >= F.col("life_from_at")) & (
        F.col("life_until_at").isNull() | (F.col("queued_at") < F.col("life_until_at"))
    )
    first = (
        queued.join(lived, on=["cluster_id", "topic"], how="inner")
        .where(in_life)
        .groupBy("cluster_id", "topic", "topic_life")
        .agg(F.min("queued_at").alias("queued_at"), F.min_by("queued_by", "queued_at").alias("queued_by"))
    )
    order = Window.partitionBy("cluster_id", "topic", "topic_life", "partition").orderBy("interval_seq")
    is_cut = F.col("queued_at").isNotNull() & (
        F.col("valid_until_at").isNull() | (F.col("queued_at") < F.col("valid_until_at"))
    )
    next_place = F.lead(F.struct("term_id", "event_seq")).over(order)
    return (
        partition_timeline.join(first, on=["cluster_id", "topic", "topic_life"], how="left")
        .withColumn("until_place", F.when(is_cut, F.col("queued_by")).otherwise(next_place))
        .withColumn("until_at", F.when(is_cut, F.col("queued_at")).otherwise(F.col("valid_until_at")))
        .where("replicas IS NOT NULL AND (queued_at IS NULL OR valid_from_at < queued_at)")
    )


def deltas(counted: DataFrame) -> DataFrame:
    """What each interval adds to its preferred leader when it begins, and takes away when it ends."""
    head = F.col("replicas")[0]
    is_elsewhere = F.coalesce(F.col("leader") != head, F.lit(False)).cast("long")
    line = F.col("evidence")[0].alias("line")
    common = (F.col("cluster_id"), head.alias("broker_id"), line)
    begun = counted.select(
        *common, "term_id", "event_seq", F.col("valid_from_at").alias("at"),
        F.lit(1).cast("long").alias("preferred"), is_elsewhere.alias("elsewhere"),
    )  # fmt: skip
    ended = counted.where("until_at IS NOT NULL").select(
        *common, "until_place.term_id", "until_place.event_seq", F.col("until_at").alias("at"),
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
