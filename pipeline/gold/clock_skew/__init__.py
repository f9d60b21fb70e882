"""How far the clocks of two nodes are apart, from pairs of lines of which one cannot be before the other."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of
from pipeline.core.span import Span
from pipeline.gold.clock_skew.bounds import NODES, bounding_pairs
from schemas.gold.clock_skew import SPEC

HOUR = (*NODES, "hour_at")
# Slopes that are tried, millionths. A quartz is within 100, a clock that is slewed within 500.
SLOPES = range(-1000, 1001, 10)
# Times are cut to milliseconds: a bound is right within one.
ROUNDING_MS = 2
NO_LINES = lit([], pl.List(pl.Struct({"file_id": pl.String, "byte_offset": pl.Int64})))


@made_of(SPEC, "request_trace", "broker_event")
def build(
    request_trace: pl.DataFrame, broker_event: pl.DataFrame, node_event: pl.DataFrame, span: Span
) -> pl.DataFrame:
    """One row per two nodes and hour with a pair of lines in it.

    A constant difference is taken where it fits; else the drift that leaves the widest margin; else a clock was set.
    Pairs are those of requests, joined by their place in a channel, and of registrations, joined by their epoch, in
    KRaft by the incarnation of the process: no clock has a part in it.
    """
    pairs = bounding_pairs(request_trace, broker_event, node_event).with_columns(
        hour_at=col("told_at").dt.truncate("1h")
    )
    of_hours = bounds_of_hours(pairs.with_columns(drift_ppm=lit(None, pl.Int64)))
    is_contrary = (col("low_ms") > col("high_ms") + ROUNDING_MS).fill_null(value=False)
    constant, contrary = of_hours.filter(~is_contrary).pipe(in_order), of_hours.filter(is_contrary)
    drifting = bounds_with_drift(pairs, contrary)
    steps = contrary.join(drifting, on=HOUR, how="anti").with_columns(
        low_ms=lit(None, pl.Int64), high_ms=lit(None, pl.Int64), is_step=lit(value=True)
    )
    rows = pl.concat([constant, drifting, steps], how="diagonal_relaxed")
    is_bounded = col("low_ms").is_not_null() & col("high_ms").is_not_null()
    return (
        rows.with_columns(
            is_step=col("is_step").fill_null(value=False) if "is_step" in rows.columns else lit(value=False),
            certainty=when(is_bounded).then(lit("inferred")).otherwise(lit("undetermined")),
            evidence=pl.concat_list(
                col("low_lines").fill_null(NO_LINES), col("high_lines").fill_null(NO_LINES)
            ).list.unique(maintain_order=True),
        )
        .filter(span.since("hour_at"))
        .select(SPEC.columns)
    )


def bounds_of_hours(pairs: pl.DataFrame) -> pl.DataFrame:
    """One row per hour: the highest low and the lowest high bound, with the pair of each."""
    bound = col("bound_ms")
    low, high = bound.filter(~col("is_high")), bound.filter(col("is_high"))
    return (
        pairs.sort("node_at", "bound_ms")
        .group_by(HOUR, maintain_order=True)
        .agg(
            low_ms=low.max(),
            high_ms=high.min(),
            low_method=col("method").filter(~col("is_high")).get(low.arg_max(), null_on_oob=True),
            high_method=col("method").filter(col("is_high")).get(high.arg_min(), null_on_oob=True),
            low_lines=col("evidence").filter(~col("is_high")).get(low.arg_max(), null_on_oob=True),
            high_lines=col("evidence").filter(col("is_high")).get(high.arg_min(), null_on_oob=True),
            low_count=(~col("is_high")).sum().cast(pl.Int64),
            high_count=col("is_high").sum().cast(pl.Int64),
            until_at=col("node_at").max(),
            drift_ppm=col("drift_ppm").first(),
        )
    )


def bounds_with_drift(pairs: pl.DataFrame, contrary: pl.DataFrame) -> pl.DataFrame:
    """Rows of hours in which a drift fits: bounds as they are at the last pair, by the slope of the widest margin."""
    of_hours = pairs.join(contrary.select(*HOUR, "until_at"), on=HOUR)
    elapsed_ms = (col("until_at") - col("node_at")).dt.total_milliseconds()
    bounds = of_hours.select(*HOUR, "is_high", "bound_ms", elapsed_ms=elapsed_ms)
    # One slope after the other: all at once would hold each pair as often. Most clusters have no such hour.
    slopes = SLOPES[:1] if bounds.is_empty() else SLOPES
    best = (
        pl.concat([bounds_by_slope(bounds, ppm) for ppm in slopes])
        .with_columns(margin=col("high") - col("low"))
        .sort("margin", "ppm", descending=[True, False])
        .unique(HOUR, keep="first", maintain_order=True)
        .filter(col("margin") >= -ROUNDING_MS)
    )
    return (
        contrary.drop("drift_ppm", "low_ms", "high_ms")
        .join(
            best.select(
                *HOUR,
                drift_ppm="ppm",
                low_ms=col("low").floor().cast(pl.Int64),
                high_ms=col("high").ceil().cast(pl.Int64),
            ),
            on=HOUR,
        )
        .pipe(in_order)
    )


def bounds_by_slope(bounds: pl.DataFrame, ppm: int) -> pl.DataFrame:
    """One row per hour: its bounds at the last pair, if the clock drifts so."""
    bound = col("bound_ms") + ppm * 1e-6 * col("elapsed_ms")
    return bounds.group_by(HOUR).agg(
        ppm=lit(ppm, pl.Int64),
        low=bound.filter(~col("is_high")).max(),
        high=bound.filter(col("is_high")).min(),
    )


def in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Bounds that contradict each other by the rounding alone change places."""
    low, high = pl.min_horizontal("low_ms", "high_ms"), pl.max_horizontal("low_ms", "high_ms")
    is_both = col("low_ms").is_not_null() & col("high_ms").is_not_null()
    return rows.with_columns(
        low_ms=when(is_both).then(low).otherwise("low_ms"),
        high_ms=when(is_both).then(high).otherwise("high_ms"),
    )
