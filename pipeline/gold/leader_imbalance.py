"""Each broker's leader imbalance ratio over time, exactly by Kafka's rule, from the partition timeline."""

from datetime import datetime, timedelta

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.core.days import day_of
from pipeline.core.intervals import split
from pipeline.kafka.balancing import changed_at, with_balancing
from pipeline.kafka.succession import unseen_from
from schemas.gold.leader_imbalance import CREATION_UNSEEN, SPEC

BROKER = ("cluster_id", "broker_id")
SUMMED = ("preferred", "elsewhere", "unsure")
COUNTS = ("preferred_count", "led_elsewhere_count", "unsure_count")
PLACE = ("controller_epoch", "term_id", "event_seq")
LONG_AGO = "0001-01-02"


def build(
    partition_timeline: DataFrame,
    term: DataFrame,
    balancing_setting: DataFrame,
    broker_setting: DataFrame,
    imbalance_before: DataFrame,
    cut: datetime | None,
) -> DataFrame:
    """One row per interval of one broker in which its two counts did not change, nor its limit, nor whether they are
    known: those that are open at the cut, the begin of a day, or end later.

    partition_timeline: what is open at the cut or ends later: enough to count what was so before it.
    imbalance_before: rows of this table that begin before the cut and reach it, and one of those that ended before it
    for the reason CREATION_UNSEEN.
    balancing_setting: what conf and given files say; broker_setting: what brokers print (see kafka.balancing).
    Rule: partitions with an assignment whose topic is not queued for deletion, grouped by the head of the
    assignment; of them those with a known leader that is not the head; breach when ratio > threshold, strictly.
    Cost: two changes per interval of the timeline, sorted once by broker and summed.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9. A KRaft controller computes no ratio, but
    a set of the same partitions: PartitionRegistration.hasPreferredLeader, from 3.2.
    """
    counts = partition_timeline.transform(changes, cut).transform(running_counts)
    return (
        counts.transform(with_begins, imbalance_before, cut)
        .transform(with_doubt, partition_timeline, term, imbalance_before, cut)
        .transform(in_pieces, broker_setting)
        .transform(with_certainty)
        .transform(with_balancing, "broker_id", balancing_setting, broker_setting, at="valid_from_at")
        .transform(with_threshold)
        .select(*SPEC.columns)
    )


def changes(partition_timeline: DataFrame, cut: datetime | None) -> DataFrame:
    """What each interval that counts adds to its preferred leader when it begins, and takes away when it ends.

    An end has the place and the line of the partition's next interval, which begins there; else it has no place.
    What began before the cut is one event, just before it.
    """
    order = Window.partitionBy("cluster_id", "topic", "topic_life", "partition").orderBy("interval_seq")
    lived = partition_timeline.select(
        "cluster_id", "topic", "topic_life", "partition", "interval_seq", "valid_from_at", "valid_until_at",
        shares().alias("shares"), F.expr("coalesce(size(replicas), 0) > 0 AND NOT is_deleting").alias("is_counted"),
        begin(cut).alias("begin"),
    )  # fmt: skip
    following = F.when(F.col("following.at") == F.col("valid_until_at"), F.col("following"))
    bounded = (
        lived.withColumn("following", F.lead("begin").over(order))
        .where("is_counted")
        .withColumn("end", following)
    )

    def change(at: str, place: str, sign: int, share: Column) -> Column:
        named = (F.col(f"{place}.{name}").alias(name) for name in PLACE)
        evident = F.coalesce(F.col(f"{place}.line"), F.col("begin.line")).alias("line")
        values = ((share[name] * sign).alias(name) for name in SUMMED)
        return F.struct(
            share["broker_id"].alias("broker_id"), F.col(at).alias("at"), *named, evident, *values
        )

    both = F.transform(
        "shares",
        lambda share: F.array(
            change("begin.at", "begin", 1, share), change("valid_until_at", "end", -1, share)
        ),
    )
    return bounded.select("cluster_id", F.inline(F.flatten(both))).where("at IS NOT NULL")


def begin(cut: datetime | None) -> Column:
    """Place and line of an interval's begin."""
    own = F.struct(
        F.col("valid_from_at").alias("at"),
        "controller_epoch",
        "term_id",
        "event_seq",
        F.col("evidence")[0].alias("line"),
    )
    if cut is None:
        return own
    at = F.lit(cut - timedelta(microseconds=1))
    seed = F.struct(
        at.alias("at"), "controller_epoch", F.lit("").alias("term_id"), F.lit(0).cast("long").alias("event_seq"),
        F.col("evidence")[0].alias("line"),
    )  # fmt: skip
    return F.when(F.col("valid_from_at") < F.lit(cut), seed).otherwise(own)


def shares() -> Column:
    """What an interval adds to brokers: one preferred partition to the head of its assignment, led elsewhere or not.

    It is unsure to that broker where it is undetermined; where the assignment is stale each replica may be the
    preferred leader.
    """
    head, none = F.get("replicas", F.lit(0)), F.lit(0).cast("long")
    elsewhere = F.coalesce(F.col("leader") != head, F.lit(False)).cast("long")
    is_stale = F.coalesce("is_assignment_stale", F.lit(False))
    is_unsure = (F.col("certainty") == "undetermined") | is_stale

    def share(broker_id: Column, *values: Column) -> Column:
        named = (value.cast("long").alias(name) for value, name in zip(values, SUMMED, strict=True))
        return F.struct(broker_id.alias("broker_id"), *named)

    own = F.array(share(head, F.lit(1), elsewhere, F.coalesce(is_unsure, F.lit(False))))
    others = F.transform(
        F.slice("replicas", 2, F.size("replicas")), lambda each: share(each, none, none, F.lit(1))
    )
    return F.when(is_stale, F.concat(own, others)).otherwise(own)


def running_counts(changed: DataFrame) -> DataFrame:
    """Counts after each controller event, at the time of its last change; events that change no count give no row.

    Where another event comes between the changes of one (two controllers at once), it counts as two, and so does one
    that goes on over midnight (UTC): days can then be built one by one.
    """
    # The broker first: a sort compares the first key without unpacking it, and there is mostly one cluster.
    broker = Window.partitionBy("broker_id", "cluster_id")
    in_turn = broker.orderBy(
        "at", F.asc_nulls_last("controller_epoch"), F.asc_nulls_last("event_seq"), "line"
    )
    until_now = in_turn.rowsBetween(Window.unboundedPreceding, 0)
    event = ("term_id", "event_seq")
    is_same_event = [F.col(f"following.{name}") == F.col(name) for name in event]
    is_same_day = day_of("following.at") == day_of("at")
    goes_on = F.coalesce(is_same_event[0] & is_same_event[1] & is_same_day, F.lit(False))
    counts, later = F.struct(*COUNTS), F.lead("at").over(in_turn)
    return (
        changed.withColumn("preferred_count", F.sum("preferred").over(until_now))
        .withColumn("led_elsewhere_count", F.sum("elsewhere").over(until_now))
        .withColumn("unsure_count", F.sum("unsure").over(until_now))
        .withColumn("following", F.lead(F.struct(*event, "at")).over(in_turn))
        .where(~goes_on)
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


def with_begins(counts: DataFrame, imbalance_before: DataFrame, cut: datetime | None) -> DataFrame:
    """Begin and line of what was so before the cut, from the rows that say so."""
    if cut is None:
        return counts
    reaches = F.col("valid_until_at").isNull() | (F.col("valid_until_at") >= F.lit(cut))
    open_ones = imbalance_before.where(reaches).select(
        *BROKER, F.struct("valid_from_at", "evidence").alias("open")
    )
    is_before = F.col("valid_from_at") < F.lit(cut)
    known = {
        name: F.when(is_before, F.col(f"open.{name}")).otherwise(F.col(name))
        for name in ("valid_from_at", "evidence")
    }
    return counts.join(F.broadcast(open_ones), on=[*BROKER], how="left").withColumns(known)


def with_doubt(
    counts: DataFrame,
    partition_timeline: DataFrame,
    term: DataFrame,
    imbalance_before: DataFrame,
    cut: datetime | None,
) -> DataFrame:
    """Adds is_zookeeper (some term of the cluster is), kraft_at: when it went over to KRaft, and doubted_at: from when
    on assignments may be missing, by terms in ZooKeeper mode; null: never.

    In KRaft, whose epochs have gaps, from the first partition on whose creation was not seen: its record has partition
    epoch 0, but one taken over from ZooKeeper. What was so before the cut is so since LONG_AGO: all rows that
    reach the cut begin after it.
    """
    at = F.col("valid_from_at")
    since = at if cut is None else F.when(at >= F.lit(cut), at).otherwise(F.lit(LONG_AGO).cast("timestamp"))
    is_unborn = (F.col("interval_seq") == 1) & (F.col("partition_epoch") != 0)
    told = imbalance_before.where(F.col("reason") == CREATION_UNSEEN)
    known = partition_timeline.where("topic_id IS NOT NULL").select(
        "cluster_id", since.alias("kraft_at"), F.when(is_unborn, since).alias("unborn_at")
    )
    in_kraft = (
        known.unionByName(told.select("cluster_id", since.alias("unborn_at")), allowMissingColumns=True)
        .groupBy("cluster_id")
        .agg(F.min("kraft_at").alias("kraft_at"), F.min("unborn_at").alias("unborn_at"))
    )
    in_zookeeper = term.transform(unseen_from).withColumn("is_zookeeper", F.lit(True))
    is_until_kraft = F.col("kraft_at").isNull() | (F.col("unseen_at") < F.col("kraft_at"))
    doubted_at = F.when(F.col("is_zookeeper"), F.when(is_until_kraft, F.col("unseen_at")))
    return (
        counts.join(F.broadcast(in_kraft), on="cluster_id", how="left")
        .join(F.broadcast(in_zookeeper), on="cluster_id", how="left")
        .withColumn("is_zookeeper", F.coalesce("is_zookeeper", F.lit(False)))
        .withColumn("doubted_at", doubted_at.otherwise(F.col("unborn_at")))
    )


def in_pieces(counts: DataFrame, broker_setting: DataFrame) -> DataFrame:
    """Intervals cut where the mode changes, or whether they are known, or what the broker prints of its limits."""
    limits = F.broadcast(changed_at(broker_setting, "broker_id"))
    none = F.array().cast("array<timestamp>")
    times = F.concat(F.array("kraft_at", "doubted_at"), F.coalesce("limits_changed_at", none))
    return counts.join(limits, on=[*BROKER], how="left").transform(split, times)


def with_certainty(counts: DataFrame) -> DataFrame:
    """is_in_kraft; undetermined where assignments may be missing, and while the leader of one of the broker's
    partitions is not known."""
    is_in_kraft = F.coalesce(F.col("valid_from_at") >= F.col("kraft_at"), F.lit(False))
    is_doubted = F.coalesce(F.col("valid_from_at") >= F.col("doubted_at"), F.lit(False))
    reason = (
        F.when(~is_in_kraft & (is_doubted | ~F.col("is_zookeeper")), "term_unseen")
        .when(is_in_kraft & is_doubted & ~F.col("is_zookeeper"), CREATION_UNSEEN)
        .when(F.col("unsure_count") > 0, "partition_unknown")
    )
    certainty = F.when(F.col("reason").isNull(), "inferred").otherwise("undetermined")
    return (
        counts.withColumn("is_in_kraft", is_in_kraft)
        .withColumn("reason", reason)
        .withColumn("certainty", certainty)
    )


def with_threshold(counts: DataFrame) -> DataFrame:
    """KRaft controllers never read leader.imbalance.per.broker.percentage: no threshold and no breach there."""
    is_read = F.col("is_zookeeper") & ~F.col("is_in_kraft")
    return counts.withColumns(
        {name: F.when(is_read, F.col(name)) for name in ("threshold_ratio", "limit_source")}
    ).withColumn("is_breach", F.col("imbalance_ratio") > F.col("threshold_ratio"))
