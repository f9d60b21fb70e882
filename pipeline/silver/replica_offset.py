"""Ends of the logs of partitions, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import number
from pipeline.kafka.families import fed
from schemas.silver.replica_offset import SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per line.

    Source: Partition.makeLeader, makeFollower from 2.6 (a follower truncates its log only after that); Log and
    Log.truncateTo, 0.8.1 to 3.0, whose lines do not say which broker prints them: that of the file.
    """
    said = fed(log_record, "replica_offset").withColumns(
        {"log_end_offset": log_end_offset(), "broker_id": F.coalesce("broker_id", "node_id")}
    )
    known = ("topic", "partition", "broker_id", "log_end_offset")
    is_whole = F.col("leader_epoch").isNotNull() | ~F.col("step").isin("leads", "follows")
    for name in known:
        is_whole &= F.col(name).isNotNull()
    return said.where(is_whole).select(*SPEC.columns)


def log_end_offset() -> Column:
    def of(name: str) -> Column:
        return number(F.col("fields")[name], "bigint")

    return (
        F.when(F.col("step") == "loaded", of("log_end_offset"))
        .when(F.col("step") == "cut", of("target_offset"))
        .when(F.col("step") == "kept", F.try_add(of("largest_offset"), F.lit(1)))
        .otherwise(of("start_offset"))
    )
