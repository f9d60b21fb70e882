"""What the days of a term come to."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.tenures import outermost, place

SUMS = ("late_count", "late_act_count", "sent_count", "empty_count", "write_count")


def of_days(controller_day: DataFrame) -> DataFrame:
    """One row per term that has days: its last line and act, sums of what came late, which brokers it found alive.

    refused_count: as brokers say or as their answers do, whichever are more.
    """
    last = F.when(F.col("last_line_at").isNotNull(), F.struct("last_line_at", "last_seq"))
    return (
        controller_day.groupBy("cluster_id", "term_id")
        .agg(
            F.max("last_line_at").alias("last_line_at"),
            F.max_by(place(), last).alias("last_line"),
            F.max("has_state_changes").alias("has_state_changes"),
            F.max("acted_at").alias("acted_at"),
            *(F.sum(name).alias(name) for name in SUMS),
            F.greatest(F.sum("refused_count"), F.sum("stale_count")).alias("refused_count"),
            F.max("last_write_at").alias("last_write_at"),
            F.array_distinct(outermost(in_order("write_lines"))).alias("write_lines"),
            F.flatten(F.collect_list("live_brokers")).alias("live_brokers"),
        )
        .withColumn("live_brokers", F.when(F.size("live_brokers") > 0, F.col("live_brokers")))
    )


def in_order(name: str) -> Column:
    """The lists of that column, one day after another."""
    days = F.collect_list(F.when(F.col(name).isNotNull(), F.struct("day_at", name)))
    return F.flatten(F.array_sort(days)[name])
