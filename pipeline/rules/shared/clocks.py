"""How far the clocks of two controllers are apart, for findings that compare their times."""

import polars as pl
from polars import col

DAY = "clock_day"
# Millionths of an hour, in ms: where a clock drifts bounds are of one moment of the hour (gold.clock_skew.until_at).
PPM_OF_HOUR = 3.6


def with_clocks_of_next(
    terms: pl.DataFrame, controller_term: pl.DataFrame, clock_skew: pl.DataFrame
) -> pl.DataFrame:
    """Rows of gold.controller_term with next_id, the next controller, and clock_low_ms, clock_high_ms: its clock less
    that of this one is between them, by all lines of the day of superseded_at that bound it; null: none does.

    A day whose clocks were set (is_step) bounds nothing.
    """
    own, until = ["cluster_id", "controller_id"], ["cluster_id", "superseded_at"]
    following = controller_term.drop_nulls("elected_at").select(
        "cluster_id", next_id="controller_id", superseded_at="elected_at"
    )
    bounds = bounds_of_days(clock_skew)
    return (
        terms.join(following.unique(until, keep="none"), on=until, how="left", maintain_order="left")
        .with_columns(col("superseded_at").dt.date().alias(DAY))
        .join(bounds, on=[*own, "next_id", DAY], how="left", maintain_order="left")
        .drop(DAY)
    )


def bounds_of_days(clock_skew: pl.DataFrame) -> pl.DataFrame:
    """One row per two nodes, either way round, and day: bounds that hold all day, of clocks that drift, too."""
    low, high = "clock_low_ms", "clock_high_ms"
    drift_ms = (col("drift_ppm").abs().fill_null(0) * PPM_OF_HOUR).ceil().cast(pl.Int64)
    one_way = clock_skew.select(
        "cluster_id", "is_step", col("hour_at").dt.date().alias(DAY),
        controller_id="node_id", next_id="other_id",
        **{low: col("low_ms") - drift_ms, high: col("high_ms") + drift_ms},
    )  # fmt: skip
    other_way = one_way.select(
        "cluster_id", "is_step", DAY,
        controller_id="next_id", next_id="controller_id", **{low: -col(high), high: -col(low)},
    )  # fmt: skip
    return (
        pl.concat([one_way, other_way])
        .group_by("cluster_id", "controller_id", "next_id", DAY)
        .agg(col(low).min(), col(high).max(), col("is_step").any())
        .filter(~col("is_step"))
        .drop("is_step")
    )
