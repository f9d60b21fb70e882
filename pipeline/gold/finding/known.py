"""Findings that conf knows already."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def with_suppressed(found: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """Adds suppressed_by, the reason of the first entry of audit_limit.suppressions that holds: of its rule and entity;
    in maintenance what begins and ends within it and is not critical."""
    told = audit_limit.select("cluster_id", "suppressions")
    holding = F.filter("suppressions", holds)
    return (
        found.join(F.broadcast(told), on="cluster_id", how="left")
        .withColumn("suppressed_by", F.get(holding, F.lit(0))["reason"])
        .drop("suppressions")
    )


def holds(one: Column) -> Column:
    is_named = one["rule"].isNull() | (one["rule"] == F.col("rule"))
    is_about = one["entity"].isNull() | F.regexp_like(
        F.col("entity"), F.concat(F.lit("^(?:"), one["entity"], F.lit(")$"))
    )
    is_within = (
        (F.col("severity") != "critical")
        & (F.col("valid_from_at") >= one["since_at"])
        & (F.col("valid_until_at") <= one["until_at"])
    )
    return is_named & is_about & F.coalesce(one["since_at"].isNull() | is_within, F.lit(False))
