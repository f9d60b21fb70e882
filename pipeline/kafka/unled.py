"""Parts of the intervals of partitions in which nobody leads: by their own state, or as their leader is gone."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.statements import PARTITION

BROKER = ("cluster_id", "broker_id")
NO_LEADER = -1
TAKEN = "partition_created"  # a KRaft controller took the partition over from ZooKeeper
A_WHILE_MS = 1000
# What one controller noticed within a second of one kind: one event.
EVENT = ("second_at", "root_event", "term_id")
OFFLINE, NEW = "OfflinePartition", "NewPartition"


def with_following(partition_timeline: DataFrame) -> DataFrame:
    """Intervals with what follows each at once: next (leader, is_deleting, term_id, event_seq, line), how an outage
    would end with it (ending), and led_by: its own leader, else the last one before."""
    order = Window.partitionBy(*PARTITION).orderBy("interval_seq")
    is_unknown = (F.col("certainty") == "undetermined") & F.col("leader").isNull() & F.col("state").isNull()
    its = F.struct(
        "leader", "is_deleting", "term_id", "event_seq", "valid_from_at", F.col("evidence")[0].alias("line"),
        is_unknown.alias("is_unknown"),
    )  # fmt: skip
    following = F.lead(its).over(order)
    at_once = following["valid_from_at"] == F.col("valid_until_at")
    is_over = F.col("next").isNull() | F.col("next.is_deleting")
    how = (
        F.when(F.col("next").isNull() & (F.col("ended_by") == TAKEN), "taken_over")
        .when(is_over, "deleted")
        .when(F.col("next.is_unknown"), "lines_missing")
        .otherwise("elected")
    )
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    led = F.last(F.when(F.col("leader") >= 0, F.col("leader")), ignorenulls=True).over(before)
    return (
        partition_timeline.withColumn("next", F.when(at_once, following))
        .withColumn("led_by", F.when(F.col("leader") >= 0, F.col("leader")).otherwise(led))
        .withColumn("ending", F.when(F.col("valid_until_at").isNotNull(), how))
    )


def piece(from_at: Column, until_at: Column, ending: Column, *others: Column) -> list[Column | str]:
    """Columns of a stretch without a leader: where it is, how it ends, and what is said besides."""
    return [
        *PARTITION, from_at.alias("from_at"), until_at.alias("until_at"), ending.alias("ending"),
        (F.col("certainty") == "undetermined").alias("is_in_doubt"),
        F.col("led_by").alias("old_leader"), F.when(ending == "elected", F.col("next.leader")).alias("new_leader"),
        *others,
    ]  # fmt: skip


def elected_by() -> Column:
    return F.when(F.col("ending") == "elected", F.col("next.line"))


def leaderless(intervals: DataFrame) -> DataFrame:
    """Intervals whose own state says that nobody leads."""
    act = ("term_id", "event_seq")
    is_other = ~F.struct(*act).eqNullSafe(F.struct(*(f"next.{one}" for one in act)))
    # Without controller.log no line opens an act.
    is_long = (F.col("event_seq") == 0) & (
        F.unix_millis("valid_until_at") - F.unix_millis("valid_from_at") > A_WHILE_MS
    )
    goes_on = F.col("next").isNull() | is_other | is_long
    is_unborn = (F.col("state") == NEW) & F.col("leader").isNull() & goes_on
    is_without = (F.col("state") == OFFLINE) | (F.col("leader") == NO_LEADER) | is_unborn
    return intervals.where(~F.col("is_deleting") & is_without).select(
        *piece(
            F.col("valid_from_at"),
            F.col("valid_until_at"),
            F.col("ending"),
            F.col("evidence")[0].alias("line"),
            F.col("term_id"),
            F.lit(False).alias("is_absent"),
            elected_by().alias("ending_line"),
        )
    )


def absences(intervals: DataFrame, broker_session: DataFrame) -> DataFrame:
    """Times in which leaders are in no session: from_at, until_at (null: open), and the session that ended: left_how,
    left_term_id, left_event_seq, left_line; null where it was not listed before. back_line: with which it is over."""
    order = Window.partitionBy(*BROKER).orderBy("joined_at")
    left = F.struct(
        "left_how",
        "left_term_id",
        "left_event_seq",
        F.element_at("evidence", -1).alias("left_line"),
        "left_at",
    )
    sessions = broker_session.withColumn("left", left)
    before = sessions.select(
        *BROKER,
        F.lag("left").over(order).alias("left"),
        F.col("joined_at").alias("until_at"),
        F.col("evidence")[0].alias("back_line"),
    )
    last = (
        sessions.groupBy(*BROKER)
        .agg(F.max_by("left", "joined_at").alias("left"))
        .where("left.left_at IS NOT NULL")
    )
    leaders = (
        intervals.where("leader >= 0").select("cluster_id", F.col("leader").alias("broker_id")).distinct()
    )
    never = leaders.join(broker_session.select(*BROKER).distinct(), on=[*BROKER], how="left_anti")
    gaps = before.unionByName(last, allowMissingColumns=True).unionByName(never, allowMissingColumns=True)
    from_at = F.coalesce("left.left_at", "listed_from_at")
    listed = broker_session.groupBy("cluster_id").agg(F.min("joined_at").alias("listed_from_at"))
    return (
        gaps.join(F.broadcast(listed), on="cluster_id", how="inner")
        .withColumn("from_at", from_at)
        .where("until_at IS NULL OR from_at < until_at OR left.left_how = 'bounced'")
        .select(*BROKER, "from_at", "until_at", "back_line", "left.*")
    )


def left_alone(intervals: DataFrame, absent: DataFrame) -> DataFrame:
    """Parts of intervals in which their leader is absent. One of no length counts where the very act of the controller
    that noticed the absence ended the interval."""
    led = intervals.where("leader >= 0 AND NOT is_deleting").alias("i")
    is_its = (F.col("i.cluster_id") == F.col("a.cluster_id")) & (F.col("i.leader") == F.col("a.broker_id"))
    touches = F.coalesce(F.col("i.valid_from_at") <= F.col("a.until_at"), F.lit(True)) & F.coalesce(
        F.col("i.valid_until_at") >= F.col("a.from_at"), F.lit(True)
    )
    is_at_once = F.coalesce(
        (F.col("next.term_id") == F.col("left_term_id"))
        & (F.col("next.event_seq") == F.col("left_event_seq"))
        & (F.col("i.valid_from_at") < F.col("a.from_at")),
        F.lit(False),
    )
    from_at = F.greatest("i.valid_from_at", "a.from_at")
    # A broker that bounced is back at once, and the act that noticed it still elects.
    until_at = F.when(is_at_once, F.col("i.valid_until_at")).otherwise(
        F.least("i.valid_until_at", "a.until_at")
    )
    has_length = F.coalesce(from_at < until_at, F.lit(True))
    ended_first = is_at_once | F.coalesce(
        F.col("i.valid_until_at") <= F.col("a.until_at"), F.col("a.until_at").isNull()
    )
    ending = F.when(ended_first, F.col("i.ending")).otherwise("leader_returned")
    kept = ("led_by", "next", "term_id", "evidence", "certainty")
    return (
        led.join(F.broadcast(absent).alias("a"), is_its & touches, how="inner")
        .where(has_length | is_at_once)
        .select(
            *(F.col(f"i.{name}").alias(name) for name in (*PARTITION, *kept)),
            "a.broker_id", "a.left_how", "a.left_term_id", "a.left_line", "a.back_line",
            from_at.alias("piece_from_at"), until_at.alias("piece_until_at"), ending.alias("ending"),
        )
        .select(
            *piece(
                F.col("piece_from_at"), F.col("piece_until_at"), F.col("ending"),
                F.coalesce("left_line", F.col("evidence")[0]).alias("line"),
                F.coalesce("left_term_id", "term_id").alias("term_id"), F.lit(True).alias("is_absent"),
                F.col("broker_id").alias("root_broker_id"), F.col("left_how").alias("root_left_how"),
                F.when(F.col("ending") == "leader_returned", F.col("back_line")).otherwise(elected_by())
                .alias("ending_line"),
            )
        )
    )  # fmt: skip


def with_event(outages: DataFrame) -> DataFrame:
    """Adds second_at: rows of gold.partition_outage with the columns of EVENT."""
    return outages.withColumn("second_at", F.date_trunc("second", "noticed_at"))
