"""Who led which partition when, from what controllers state line by line."""

from datetime import datetime

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.kraft_intervals import kraft_intervals, until_kraft
from pipeline.kafka.missing_terms import DOUBTS, in_doubt, order_with_doubt, with_doubt
from pipeline.kafka.statements import GONE, PARTITION, TRACKED, known_before, partition_order, statements
from schemas.gold.partition_timeline import SPEC

KRAFT = "kraft"
UNDETERMINED = "undetermined"
TYPES = {one.name: one.dataType for one in SPEC.struct.fields}


def build(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    leader_and_isr: DataFrame,
    partition_transition: DataFrame,
    assignment: DataFrame,
    topic_event: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    partition_state: DataFrame,
    broker_absence: DataFrame,
    wording_seen: DataFrame,
    deletion_before: DataFrame,
    timeline_before: DataFrame,
    modes: frozenset[str],
    cut: datetime | None,
) -> DataFrame:
    """One row per interval in which nothing known of the partition changed: those that are open at the cut or later.

    timeline_before: rows of this table that begin before the cut, of partitions in whose topics something is said
    after it, and all that are open then. deletion_before: (cluster_id, topic, deletions) completed before the cut.
    modes: those of the terms; what a mode would add that there is not is left out of the plan.

    Rows: statements that repeat what is known begin no interval. A move to NonExistentPartition ends the last
    one, and so do the topic's deletion, a wiped cluster's next election and that of a KRaft controller.
    A statement with a lower leader epoch than one before it is stale (a deposed controller) and is left out.
    Where a term's own lines are missing a row is undetermined until a later controller states the leader, and the
    assignment is stale until one states it.
    KRaft: as pipeline.kafka.kraft_intervals says, from the partition's record on; what follows is of ZooKeeper mode.
    Source: lines of controllers only. From 2.7 on (inter-broker protocol) leaders ask them for every change of ISR;
    until then isr is as last stated, and marked.
    """
    of_kraft = (partition_state, broker_absence, controller_line, term, wording_seen, timeline_before, cut)
    if modes == {KRAFT}:
        return kraft_intervals(*of_kraft).transform(reaching, cut)
    last = timeline_before.where("topic_id IS NULL").transform(last_of_each)
    given = (leader_and_isr, partition_transition, assignment, topic_event, controller_line, term)
    lived = statements(*given, deletion_before, known_before(last)).unionByName(
        seeds(last, cut), allowMissingColumns=True
    )
    in_zookeeper = (
        lived.transform(without_stale)
        .transform(with_doubt, term, cut)
        .transform(filled)
        .transform(intervals)
        .transform(with_stale_isr, term)
    )
    if KRAFT not in modes:
        return in_zookeeper.transform(reaching, cut)
    in_kraft = kraft_intervals(*of_kraft)
    both = in_zookeeper.transform(until_kraft, in_kraft, timeline_before)
    return both.unionByName(in_kraft, allowMissingColumns=True).transform(reaching, cut)


def reaching(intervals: DataFrame, cut: datetime | None) -> DataFrame:
    """The columns of this table, null where the mode knows none, of rows that are open at the cut or later."""
    found = intervals.withColumns(
        {name: F.lit(None).cast(kind) for name, kind in TYPES.items() if name not in intervals.columns}
    ).select(*SPEC.columns)
    if cut is None:
        return found
    return found.where(F.col("valid_until_at").isNull() | (F.col("valid_until_at") >= F.lit(cut)))


def with_stale_isr(intervals: DataFrame, term: DataFrame) -> DataFrame:
    """is_isr_stale: somebody leads who may have changed the ISR without a line of a controller."""
    told = F.broadcast(term.select("cluster_id", "term_id", "is_isr_told"))
    may_change = ~F.coalesce("is_isr_told", F.lit(False)) & (F.coalesce("leader", F.lit(0)) >= 0)
    is_alone = F.coalesce(F.size("replicas") == 1, F.lit(False))
    is_stale = F.when(F.col("isr").isNotNull(), may_change & ~is_alone)
    return intervals.join(told, on=["cluster_id", "term_id"], how="left").withColumn("is_isr_stale", is_stale)


def last_of_each(timeline_before: DataFrame) -> DataFrame:
    last = F.max_by(F.struct(*timeline_before.columns), "interval_seq").alias("last")
    return timeline_before.groupBy(*PARTITION).agg(last).select("last.*")


def seeds(last: DataFrame, cut: datetime | None) -> DataFrame:
    """The last interval of each partition before the cut as a statement; its end, if it ended by then, as another."""
    line = F.col("evidence")[0]
    place = (
        "controller_epoch", "seq", line["file_id"].alias("file_id"), line["byte_offset"].alias("byte_offset"),
        "event_seq", "term_id",
    )  # fmt: skip
    # An assignment that is stale under a leader that is certain: its controller may still state it.
    is_known = (F.col("certainty") != UNDETERMINED).cast("int")
    begun = last.select(
        *PARTITION,
        *TRACKED,
        *place,
        F.col("valid_from_at").alias("at"),
        F.col("interval_seq").alias("first_seq"),
        F.when(F.col("certainty") == UNDETERMINED, F.col("controller_epoch")).alias(DOUBTS["leader_epoch"]),
        F.when(F.col("is_assignment_stale"), F.col("controller_epoch") - is_known).alias(DOUBTS["replicas"]),
    )
    ended = last.where(F.col("valid_until_at") < F.lit(cut).cast("timestamp")).select(
        *PARTITION, *place, F.col("valid_until_at").alias("at"), F.lit(GONE).alias("state"),
        F.col("ended_by").alias("event"),
    )  # fmt: skip
    return begun.unionByName(ended, allowMissingColumns=True)


def without_stale(lived: DataFrame) -> DataFrame:
    before = (
        Window.partitionBy(*PARTITION).orderBy(*partition_order()).rowsBetween(Window.unboundedPreceding, -1)
    )
    is_stale = F.coalesce(F.col("leader_epoch") < F.max("leader_epoch").over(before), F.lit(False))
    return lived.withColumn("is_stale", is_stale).where("NOT is_stale")


def filled(lived: DataFrame) -> DataFrame:
    """Each statement with all that is known after it; an Offline partition keeps the leader that Kafka keeps."""
    until_now = (
        Window.partitionBy(*PARTITION).orderBy(*order_with_doubt()).rowsBetween(Window.unboundedPreceding, 0)
    )
    known = [F.last(name, ignorenulls=True).over(until_now).alias(name) for name in TRACKED]
    others = (name for name in lived.columns if name not in TRACKED)
    return lived.select(
        *others,
        *known,
        in_doubt("leader_epoch").alias("is_in_doubt"),
        in_doubt("replicas").alias("is_assignment_doubted"),
    )


def intervals(lived: DataFrame) -> DataFrame:
    order = Window.partitionBy(*PARTITION).orderBy(*order_with_doubt())
    state = F.struct(*TRACKED, "is_in_doubt", "is_assignment_doubted")
    counted = F.max("first_seq").over(Window.partitionBy(*PARTITION)) - 1
    changed = lived.withColumn("is_same", state.eqNullSafe(F.lag(state).over(order))).where("NOT is_same")
    return (
        changed.withColumn("valid_until_at", F.lead("at").over(order))
        .withColumn("ended_by", F.lead("event").over(order))
        .where(F.coalesce(F.col("state") != GONE, F.lit(True)))
        .withColumn("interval_seq", (F.row_number().over(order) + F.coalesce(counted, F.lit(0))).cast("long"))
        .withColumn("valid_from_at", F.col("at"))
        .withColumn("is_deleting", F.coalesce("is_deleting", F.lit(False)))
        .withColumn(
            "is_assignment_stale", F.when(F.col("replicas").isNotNull(), F.col("is_assignment_doubted"))
        )
        .withColumn("certainty", F.when(F.col("is_in_doubt"), UNDETERMINED).otherwise("proved"))
        .withColumn("evidence", F.array(F.struct("file_id", "byte_offset")))
    )
