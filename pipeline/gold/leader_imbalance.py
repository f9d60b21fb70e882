"""Each broker's leader imbalance ratio over time, exactly by Kafka's rule, from the partition timeline."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.balancing import with_balancing
from schemas.gold.leader_imbalance import SPEC

COUNTS = ("preferred_count", "led_elsewhere_count")


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
    Cost: two changes per interval of the timeline, sorted once by broker and summed.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    counts = partition_timeline.transform(changes).transform(running_counts)
    return (
        counts.transform(with_certainty, term)
        .transform(with_balancing, "broker_id", balancing_setting, broker_setting)
        .transform(with_threshold, term)
        .select(*SPEC.columns)
    )


def changes(partition_timeline: DataFrame) -> DataFrame:
    """What each interval that counts adds to its preferred leader when it begins, and takes away when it ends.

    An end has the place and the line of the partition's next interval, which begins there; else it has no place.
    """
    order = Window.partitionBy("cluster_id", "topic", "topic_life", "partition").orderBy("interval_seq")
    head, line = F.col("replicas")[0], F.col("evidence")[0].alias("line")
    elsewhere = F.coalesce(F.col("leader") != head, F.lit(False)).cast("long")
    lived = partition_timeline.select(
        "cluster_id", "topic", "topic_life", "partition", "interval_seq", "valid_from_at", "valid_until_at",
        head.alias("broker_id"), elsewhere.alias("elsewhere"),
        F.expr("replicas IS NOT NULL AND NOT is_deleting").alias("is_counted"),
        F.struct(F.col("valid_from_at").alias("at"), "controller_epoch", "term_id", "event_seq", line).alias("begin"),
    )  # fmt: skip
    following = F.when(F.col("following.at") == F.col("valid_until_at"), F.col("following"))
    bounded = (
        lived.withColumn("following", F.lead("begin").over(order))
        .where("is_counted")
        .withColumn("end", following)
    )

    def change(at: str, place: str, sign: int) -> Column:
        named = (
            F.col(f"{place}.{name}").alias(name) for name in ("controller_epoch", "term_id", "event_seq")
        )
        evident = F.coalesce(F.col(f"{place}.line"), F.col("begin.line")).alias("line")
        return F.struct(
            F.col(at).alias("at"), *named, evident, F.lit(sign).cast("long").alias("preferred"),
            (F.col("elsewhere") * sign).alias("elsewhere"),
        )  # fmt: skip

    both = F.array(change("valid_from_at", "begin", 1), change("valid_until_at", "end", -1))
    return bounded.select("cluster_id", "broker_id", F.inline(both)).where("at IS NOT NULL")


def running_counts(changed: DataFrame) -> DataFrame:
    """Counts after each controller event, at the time of its last change; events that change no count give no row.

    Where another event comes between the changes of one (two controllers at once), it counts as two.
    """
    # The broker first: a sort compares the first key without unpacking it, and there is mostly one cluster.
    broker = Window.partitionBy("broker_id", "cluster_id")
    in_turn = broker.orderBy(
        "at", F.asc_nulls_last("controller_epoch"), F.asc_nulls_last("event_seq"), "line"
    )
    until_now = in_turn.rowsBetween(Window.unboundedPreceding, 0)
    event = ("term_id", "event_seq")
    goes_on = [F.coalesce(F.col(f"following.{name}") == F.col(name), F.lit(False)) for name in event]
    counts, later = F.struct(*COUNTS), F.lead("at").over(in_turn)
    return (
        changed.withColumn("preferred_count", F.sum("preferred").over(until_now))
        .withColumn("led_elsewhere_count", F.sum("elsewhere").over(until_now))
        .withColumn("following", F.lead(F.struct(*event)).over(in_turn))
        .where(~(goes_on[0] & goes_on[1]))
        .withColumn("is_last_then", F.coalesce(later > F.col("at"), F.lit(True)))
        .where("is_last_then")
        .withColumn("is_same", counts.eqNullSafe(F.lag(counts).over(in_turn)))
        .where("NOT is_same")
        .withColumn("valid_from_at", F.col("at"))
        .withColumn("valid_until_at", later)
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
