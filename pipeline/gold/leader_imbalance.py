"""Each broker's leader imbalance ratio over time, exactly by Kafka's rule, from the partition timeline."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.balancing import with_balancing
from schemas.gold.leader_imbalance import SPEC

SUMMED = ("preferred", "elsewhere", "unsure")
COUNTS = ("preferred_count", "led_elsewhere_count", "unsure_count")


def build(
    partition_timeline: DataFrame,
    term: DataFrame,
    balancing_setting: DataFrame,
    broker_setting: DataFrame,
) -> DataFrame:
    """One row per interval of one broker in which its two counts did not change, nor whether they are known.

    balancing_setting: what conf and given files say; broker_setting: what brokers print (see kafka.balancing).
    Rule: partitions with an assignment whose topic is not queued for deletion, grouped by the head of the
    assignment; of them those with a known leader that is not the head; breach when ratio > threshold, strictly.
    Cost: two changes per interval of the timeline, sorted once by broker and summed.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9. A KRaft controller computes no ratio, but
    a set of the same partitions: PartitionRegistration.hasPreferredLeader, from 3.2.
    """
    counts = partition_timeline.transform(changes).transform(running_counts)
    return (
        counts.transform(with_certainty, partition_timeline, term)
        .transform(with_balancing, "broker_id", balancing_setting, broker_setting)
        .transform(with_threshold, term)
        .select(*SPEC.columns)
    )


def changes(partition_timeline: DataFrame) -> DataFrame:
    """What each interval that counts adds to its preferred leader when it begins, and takes away when it ends.

    An end has the place and the line of the partition's next interval, which begins there; else it has no place.
    """
    order = Window.partitionBy("cluster_id", "topic", "topic_life", "partition").orderBy("interval_seq")
    lived = partition_timeline.select(
        "cluster_id", "topic", "topic_life", "partition", "interval_seq", "valid_from_at", "valid_until_at",
        shares().alias("shares"), F.expr("replicas IS NOT NULL AND NOT is_deleting").alias("is_counted"),
        F.struct(
            F.col("valid_from_at").alias("at"), "controller_epoch", "term_id", "event_seq",
            F.col("evidence")[0].alias("line"),
        ).alias("begin"),
    )  # fmt: skip
    following = F.when(F.col("following.at") == F.col("valid_until_at"), F.col("following"))
    bounded = (
        lived.withColumn("following", F.lead("begin").over(order))
        .where("is_counted")
        .withColumn("end", following)
    )

    def change(at: str, place: str, sign: int, share: Column) -> Column:
        named = (
            F.col(f"{place}.{name}").alias(name) for name in ("controller_epoch", "term_id", "event_seq")
        )
        evident = F.coalesce(F.col(f"{place}.line"), F.col("begin.line")).alias("line")
        values = ((share[name] * sign).alias(name) for name in SUMMED)
        return F.struct(
            share["broker_id"].alias("broker_id"), F.col(at).alias("at"), *named, evident, *values
        )

    both = F.transform(
        "shares",
        lambda share: F.array(
            change("valid_from_at", "begin", 1, share), change("valid_until_at", "end", -1, share)
        ),
    )
    return bounded.select("cluster_id", F.inline(F.flatten(both))).where("at IS NOT NULL")


def shares() -> Column:
    """What an interval adds to brokers: one preferred partition to the head of its assignment, led elsewhere or not.

    It is unsure to that broker where it is undetermined; where its leader is known it is the assignment that is not,
    and each replica may be the preferred leader.
    """
    head, none = F.col("replicas")[0], F.lit(0).cast("long")
    elsewhere = F.coalesce(F.col("leader") != head, F.lit(False)).cast("long")
    is_unsure = F.col("certainty") == "undetermined"

    def share(broker_id: Column, *values: Column) -> Column:
        named = (value.cast("long").alias(name) for value, name in zip(values, SUMMED, strict=True))
        return F.struct(broker_id.alias("broker_id"), *named)

    own = F.array(share(head, F.lit(1), elsewhere, F.coalesce(is_unsure, F.lit(False))))
    others = F.transform(
        F.slice("replicas", 2, F.size("replicas")), lambda each: share(each, none, none, F.lit(1))
    )
    return F.when(is_unsure & F.col("leader").isNotNull(), F.concat(own, others)).otherwise(own)


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
        .withColumn("unsure_count", F.sum("unsure").over(until_now))
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


def with_threshold(counts: DataFrame, term: DataFrame) -> DataFrame:
    """KRaft controllers never read leader.imbalance.per.broker.percentage: no threshold and no breach there."""
    ever = term.groupBy("cluster_id").agg(F.bool_or(F.col("mode") == "zookeeper").alias("is_zookeeper"))
    is_before = F.coalesce(F.col("valid_from_at") < F.col("kraft_at"), F.lit(True))
    is_read = F.coalesce("is_zookeeper", F.lit(False)) & is_before
    return (
        counts.join(F.broadcast(ever), on="cluster_id", how="left")
        .withColumns({name: F.when(is_read, F.col(name)) for name in ("threshold_ratio", "limit_source")})
        .withColumn("is_breach", F.col("imbalance_ratio") > F.col("threshold_ratio"))
    )
