"""Who led which partition when, from what controllers state line by line."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.statements import GONE, PARTITION, TRACKED, partition_order, statements
from schemas.gold.partition_timeline import SPEC


def build(
    leader_and_isr: DataFrame,
    partition_transition: DataFrame,
    topic_event: DataFrame,
    controller_line: DataFrame,
) -> DataFrame:
    """One row per interval in which nothing known of the partition changed.

    Rows: statements that repeat what is known begin no interval. A move to NonExistentPartition ends the last
    one, and so do the topic's deletion, a wiped cluster's next election and that of a KRaft controller.
    A statement with a lower leader epoch than one before it is stale (a deposed controller) and is left out.
    Source: lines of controllers only. A leader's own ISR changes reach them with the next metadata they send, from
    2.7 on (inter-broker protocol) at once; until then isr is as last stated.
    """
    lived = statements(leader_and_isr, partition_transition, topic_event, controller_line)
    return lived.transform(without_stale).transform(filled).transform(intervals).select(*SPEC.columns)


def without_stale(lived: DataFrame) -> DataFrame:
    before = (
        Window.partitionBy(*PARTITION).orderBy(*partition_order()).rowsBetween(Window.unboundedPreceding, -1)
    )
    is_stale = F.coalesce(F.col("leader_epoch") < F.max("leader_epoch").over(before), F.lit(False))
    return lived.withColumn("is_stale", is_stale).where("NOT is_stale")


def filled(lived: DataFrame) -> DataFrame:
    """Each statement with all that is known after it; an Offline partition keeps the leader that Kafka keeps."""
    until_now = (
        Window.partitionBy(*PARTITION).orderBy(*partition_order()).rowsBetween(Window.unboundedPreceding, 0)
    )
    known = [F.last(name, ignorenulls=True).over(until_now).alias(name) for name in TRACKED]
    return lived.select(*(name for name in lived.columns if name not in TRACKED), *known)


def intervals(lived: DataFrame) -> DataFrame:
    order = Window.partitionBy(*PARTITION).orderBy(*partition_order())
    state = F.struct(*TRACKED)
    changed = lived.withColumn("is_same", state.eqNullSafe(F.lag(state).over(order))).where("NOT is_same")
    return (
        changed.withColumn("valid_until_at", F.lead("at").over(order))
        .withColumn("ended_by", F.lead("event").over(order))
        .withColumn("interval_seq", F.row_number().over(order).cast("long"))
        .where(F.coalesce(F.col("state") != GONE, F.lit(True)))
        .withColumn("valid_from_at", F.col("at"))
        .withColumn("is_deleting", F.coalesce("is_deleting", F.lit(False)))
        .withColumn("certainty", F.lit("proved"))
        .withColumn("evidence", F.array(F.struct("file_id", "byte_offset")))
    )
