"""Stretches of time in which the ratio of a broker is over its limit without a break."""

import polars as pl
from polars import col, lit, when

BROKER = ("cluster_id", "broker_id")
BREACH = (*BROKER, "breached_at")
LAST = ("balanced_at", "check_interval_seconds", "is_auto_rebalance_enabled")
HIGHEST = ("max_ratio", "led_elsewhere_count", "preferred_count", "threshold_ratio", "evidence")


def breach_episodes(leader_imbalance: pl.DataFrame, data_end: pl.DataFrame) -> pl.DataFrame:
    """One row per stretch of breach: BROKER, breached_at, balanced_at (null: it goes on), until_at (the end of the data
    where it goes on), certainty, begun (its first line), HIGHEST (as it was at the highest ratio) and LAST.
    """
    over = leader_imbalance.filter("is_breach").sort(*BROKER, "valid_from_at")
    goes_on = col("valid_until_at").shift(1).over(BROKER) == col("valid_from_at")
    is_new = ~goes_on.fill_null(value=False)
    is_certain = (col("certainty") != "undetermined").all()
    of_breach = over.with_columns(number=is_new.cum_sum().over(BROKER)).rename(
        {"imbalance_ratio": "max_ratio", "valid_until_at": "balanced_at"}
    )
    at_height = col(HIGHEST).sort_by("max_ratio", "valid_from_at").last()
    found = of_breach.group_by(*BROKER, "number", maintain_order=True).agg(
        at_height,
        col(LAST).last(),
        breached_at=col("valid_from_at").first(),
        begun=col("evidence").first(),
        certainty=when(is_certain).then(lit("inferred")).otherwise(lit("undetermined")),
    )
    until = pl.coalesce("balanced_at", "until_at")
    return (
        found.join(data_end.select("cluster_id", "until_at"), on="cluster_id")
        .with_columns(until_at=pl.max_horizontal("breached_at", until))
        .drop("number")
    )
