"""What follows from fenced brokers for partitions that they led: nobody alive prints that they have no leader."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.kraft_offices import LINE, within
from pipeline.kafka.partition_states import ASSIGNED, HELD, IDENTITY

NOBODY = -1
ROW = ("at", "partition_epoch", *HELD, *ASSIGNED, "certainty", "lost", "first_seq", *LINE)


def fences(broker_absence: DataFrame) -> DataFrame:
    """One row per broker: (cluster_id, broker_id), fences: an array of its absences in order of time, each with at,
    line, is_fence, and `then`: what is decided of other brokers until it is back, and who was out by then."""
    line = F.struct(*LINE).alias("line")
    spans = broker_absence.select(
        "cluster_id", "broker_id", F.col("out_at").alias("at"), "back_at", line, "is_fence"
    )
    others = spans.select(
        "cluster_id", F.col("broker_id").alias("out_id"), F.col("at").alias("out_at"), "back_at"
    )
    is_out = (F.col("l.cluster_id") == F.col("o.cluster_id")) & within("out_at", "back_at")
    with_out = (
        spans.alias("l")
        .join(F.broadcast(others).alias("o"), is_out, how="inner")
        .groupBy("l.cluster_id", "l.at", "l.line")
        .agg(F.sort_array(F.collect_set("out_id")).alias("out"))
        .select("cluster_id", "at", F.col("at").alias("then_at"), "out", F.col("line").alias("then_line"))
    )
    until_back = (F.col("l.cluster_id") == F.col("o.cluster_id")) & within("own_at", "back_at")
    begun = spans.withColumn("own_at", F.col("at")).alias("o")
    return (
        with_out.alias("l")
        .join(F.broadcast(begun), until_back, how="inner")
        .groupBy(*(f"o.{name}" for name in ("cluster_id", "broker_id", "at", "line", "is_fence")))
        .agg(F.sort_array(F.collect_set(F.struct("then_at", "out", "then_line"))).alias("then"))
        .groupBy("cluster_id", "broker_id")
        .agg(F.sort_array(F.collect_list(F.struct("at", "line", "is_fence", "then"))).alias("fences"))
    )


def with_reigns(states: DataFrame) -> DataFrame:
    """reign: number of the run of states with one leader; a leader epoch more is still the same election, or one that
    only the in-sync replicas asked for (metadata.version below 3.6, and the end of a reassignment).

    certainty: after a gap in the partition epochs something is lost, and the state held by then, not from then on.
    left: brokers that left the in-sync replicas when the leader epoch grew.
    """
    order = Window.partitionBy(*IDENTITY).orderBy("partition_epoch")
    is_same = (F.col("leader") == F.lag("leader").over(order)) & (
        F.col("leader_epoch") <= F.lag("leader_epoch").over(order) + 1
    )
    is_after_gap = F.col("partition_epoch") > F.lag("partition_epoch").over(order) + 1
    is_bumped = F.col("leader_epoch") == F.lag("leader_epoch").over(order) + 1
    left = F.array_except(F.lag("isr").over(order), "isr")
    return (
        states.withColumn("is_new", F.coalesce(~is_same, F.lit(True)).cast("int"))
        .withColumn("reign", F.sum("is_new").over(order))
        .withColumn(
            "certainty",
            F.coalesce(
                "known_certainty",
                F.when(F.coalesce(is_after_gap, F.lit(False)), "inferred").otherwise("proved"),
            ),
        )
        .withColumn("left", F.when(is_bumped & ~is_after_gap & (F.size(left) > 0), left))
    )


def with_lost(states: DataFrame, broker_absence: DataFrame) -> DataFrame:
    """lost: of the brokers that left those that were in service. A reassignment that only takes replicas away is in no
    line but this: the assignment may be another one from then on, until it is stated again."""
    key = (*IDENTITY, "partition_epoch")
    one_each = states.where("left IS NOT NULL").select(*key, "at", F.explode("left").alias("broker_id"))
    is_out = within("out_at", "back_at")
    for name in ("cluster_id", "broker_id"):
        is_out = is_out & (F.col(f"l.{name}") == F.col(f"o.{name}"))
    lost = (
        one_each.alias("l")
        .join(F.broadcast(broker_absence).alias("o"), is_out, how="left_anti")
        .groupBy(*key)
        .agg(F.collect_set("broker_id").alias("lost"))
    )
    return states.join(F.broadcast(lost), on=[*key], how="left").drop("left")


def reigns(states: DataFrame, ends: DataFrame) -> DataFrame:
    """One row per reign: its states, from_at to until_at, what its last state says, and the first one of the next.

    ends: topics (cluster_id, topic_id) with gone_at.
    """
    order = Window.partitionBy(*IDENTITY).orderBy("reign")
    rows = F.sort_array(F.collect_list(F.struct("partition_epoch", F.struct(*ROW).alias("row"))))
    return (
        states.groupBy(*IDENTITY, "reign", "leader")
        .agg(
            rows.alias("rows"),
            F.min("at").alias("from_at"),
            F.max("topic").alias("topic"),
        )
        .withColumn("last", F.element_at("rows", -1)["row"])
        .withColumn("next", F.lead(F.element_at("rows", 1)["row"]).over(order))
        .withColumn("next_at", F.lead("from_at").over(order))
        .join(F.broadcast(ends), on=["cluster_id", "topic_id"], how="inner")
        .withColumn("until_at", F.least("next_at", "gone_at"))
    )


def with_fence(reigns: DataFrame, fences: DataFrame) -> DataFrame:
    """fenced_at with its line: when the leader was fenced in its reign, or was allowed to shut down if then the next
    one took over or none was left to; empty_at: from when on none of the replicas known to be in sync was there."""
    of_leader = fences.withColumnRenamed("broker_id", "leader")
    until = F.col("until_at")
    in_sync = F.coalesce(F.col("last.isr"), F.col("last.replicas"))

    def is_empty(then: Column) -> Column:
        return F.size(F.array_except(in_sync, then["out"])) == 0

    def is_acting(one: Column) -> Column:
        leaves_none = F.exists(one["then"], lambda then: (then["then_at"] == one["at"]) & is_empty(then))
        return one["is_fence"] | is_taken_over() | leaves_none

    first = F.filter(
        "fences",
        lambda one: (one["at"] >= F.col("from_at")) & (until.isNull() | (one["at"] < until)) & is_acting(one),
    )
    empty = F.filter(
        F.col("fence.then"), lambda then: is_empty(then) & (until.isNull() | (then["then_at"] < until))
    )
    return (
        reigns.join(F.broadcast(of_leader), on=["cluster_id", "leader"], how="left")
        .withColumn("fence", F.get(first, F.lit(0)))
        .withColumn("empty", F.get(empty, F.lit(0)))
        .withColumn("fenced_at", F.col("fence.at"))
        .withColumn("empty_at", F.col("empty.then_at"))
    )


def is_taken_over() -> Column:
    """Whether the next leader that was printed has the next leader epoch."""
    return F.coalesce(F.col("next.leader_epoch") == F.col("last.leader_epoch") + 1, F.lit(False))


def held(reigns: DataFrame) -> DataFrame:
    """One row per state that a partition was in, those that no line states included."""
    printed = F.filter(
        F.transform("rows", lambda one: one["row"]),
        lambda one: F.col("fenced_at").isNull() | (one["at"] < F.col("fenced_at")),
    )
    return reigns.select(
        *IDENTITY, "topic", "topic_life", "gone_at", "gone_by", F.inline(F.concat(printed, unprinted()))
    )


def unprinted() -> Column:
    """From the fencing on the next leader, if that one has the next leader epoch: it was elected in the same batch;
    else none, as soon as no replica in sync is left, and until then it is unknown who leads."""
    epoch, is_next = F.col("last.leader_epoch") + 1, is_taken_over()
    is_whole = is_next & (F.col("next.partition_epoch") == F.col("last.partition_epoch") + 1)
    is_empty = F.coalesce(F.col("empty_at") == F.col("fenced_at"), F.lit(False))
    at_once = row(
        F.col("fenced_at"),
        F.col("fence.line"),
        leader=F.when(is_next, F.col("next.leader")).when(is_empty, NOBODY),
        leader_epoch=epoch,
        isr=F.when(is_whole, F.col("next.isr")),
        partition_epoch=F.when(is_whole, F.col("next.partition_epoch")),
        certainty=F.when(is_next | is_empty, "inferred").otherwise("undetermined"),
    )
    nobody = row(
        F.col("empty_at"),
        F.col("empty.then_line"),
        leader=F.lit(NOBODY),
        certainty=F.lit("inferred"),
    )
    nothing = F.filter(F.array(at_once), lambda _: F.lit(False))
    is_later = ~is_next & F.coalesce(F.col("empty_at") > F.col("fenced_at"), F.lit(False))
    return (
        F.when(F.col("fenced_at").isNull(), nothing)
        .when(is_later, F.array(at_once, nobody))
        .otherwise(F.array(at_once))
    )


def row(at: Column, line: Column, **said: Column) -> Column:
    values = {"at": at} | said | {name: line[name] for name in LINE}
    like = F.col("last")
    return F.struct(
        *((values[name] if name in values else F.when(F.lit(False), like[name])).alias(name) for name in ROW)
    )
