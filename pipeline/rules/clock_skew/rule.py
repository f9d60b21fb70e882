"""The rule clock_skew."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.wording import (
    duration_text,
    enumerated_ids,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

PAIR = ("cluster_id", "node_id", "other_id")
NODE = ("cluster_id", "off_id")
# All zones of today differ by a multiple of it.
ZONE_STEP_MS = 900_000
# A clock in another zone may be wrong besides.
ZONE_NEAR_MS = 5_000


@made_of_rows("clock_skew")
def find(clock_skew: pl.DataFrame, clock_skew_ms: int, clock_skew_warning_ms: int) -> pl.DataFrame:
    """The clocks of two nodes are certainly apart. One finding per node that is apart from all others that are
    measured against it, else per two nodes; of the hour in which it was most.

    Source: lines of two nodes of which one cannot be before the other (gold.clock_skew).
    """
    pairs = worst_hours(clock_skew, clock_skew_ms)
    return (
        with_node_that_is_off(pairs, clock_skew)
        .sort("least_ms", "with_id", descending=[True, False])
        .group_by(*NODE, "is_named", "is_ahead", when("is_named").then(-1).otherwise("with_id").alias("of"))
        .agg(
            others=col("with_id").unique().sort(),
            least_ms=col("least_ms").first(),
            middle_ms=col("middle_ms").first(),
            valid_from_at=col("first_at").min(),
            valid_until_at=col("last_at").max(),
            # It is the node's own clock that runs wrong only if it does so beside each of the others.
            drift_ppm=when(col("drift_ppm").is_not_null().all()).then(col("drift_ppm").abs().max()),
            evidence=col("evidence").first(),
        )
        .sort("cluster_id", "off_id", "is_ahead", "of")
        .select(
            *("cluster_id", "valid_from_at", "valid_until_at", "evidence"),
            *severity_column(
                when(col("least_ms") > clock_skew_warning_ms).then(lit("warning")).otherwise(lit("info"))
            ),
            term_id=lit(None, pl.String),
            entity=filled_text("node {}", "off_id"),
            root_event=filled_text("clock of node {}", "off_id"),
            **root_columns("clock", "valid_from_at", "off_id"),
            sentence=skew_text(),
            facts=facts_column(
                node_id="off_id", other_ids="others", apart_ms="least_ms", drift_ppm="drift_ppm"
            ),
            certainty=lit("inferred"),
        )
    )


def worst_hours(clock_skew: pl.DataFrame, least_ms: int) -> pl.DataFrame:
    """One row per two nodes that are certainly further apart than least_ms, of the hour in which they were most."""
    low, high = col("low_ms").fill_null(0), col("high_ms").fill_null(0)
    least = pl.max_horizontal(low, -high)
    middle = pl.coalesce((col("low_ms") + col("high_ms")) // 2, "low_ms", "high_ms")
    return (
        clock_skew.with_columns(least_ms=least, middle_ms=middle)
        .filter(col("least_ms") > least_ms)
        .sort("least_ms", "hour_at", descending=[True, False])
        .group_by(PAIR, maintain_order=True)
        .agg(
            col("least_ms", "middle_ms", "drift_ppm", "evidence").first(),
            first_at=col("hour_at").min(),
            last_at=col("until_at").max(),
        )
    )


@needs_rows_of("pairs")
def with_node_that_is_off(pairs: pl.DataFrame, clock_skew: pl.DataFrame) -> pl.DataFrame:
    """One row per two nodes: off_id, with_id, is_ahead, and is_named: off_id is apart from all that are measured
    against it, two at least, and the other one is not."""

    def counted(rows: pl.DataFrame) -> pl.DataFrame:
        nodes = pl.concat([rows.select("cluster_id", id=name) for name in ("node_id", "other_id")])
        return nodes.group_by("cluster_id", "id").agg(count=pl.len())

    measured = counted(clock_skew.select(PAIR).unique())
    off = counted(pairs).join(measured, on=["cluster_id", "id"], suffix="_measured")
    is_off_from_all = off.select(
        "cluster_id", "id", is_odd=(col("count") == col("count_measured")) & (col("count") > 1)
    )
    ends = pairs
    for name in ("node_id", "other_id"):
        ends = ends.join(
            is_off_from_all.rename({"id": name, "is_odd": f"{name}_is_odd"}),
            on=["cluster_id", name],
            how="left",
        )
    is_node = col("node_id_is_odd") & ~col("other_id_is_odd")
    is_other = col("other_id_is_odd") & ~col("node_id_is_odd")
    off_id = when(is_node).then("node_id").otherwise("other_id")
    is_ahead = col("middle_ms") > 0
    return ends.with_columns(
        off_id=off_id,
        with_id=when(off_id == col("node_id")).then("other_id").otherwise("node_id"),
        is_ahead=when(off_id == col("node_id")).then(~is_ahead).otherwise(is_ahead),
        is_named=is_node | is_other,
    )


def skew_text() -> pl.Expr:
    size = col("middle_ms").abs()
    steps = (size / ZONE_STEP_MS).round()
    is_zone = (steps > 0) & ((size - steps * ZONE_STEP_MS).abs() <= ZONE_NEAR_MS)
    zone_ms = (steps * ZONE_STEP_MS).cast(pl.Int64)
    apart = duration_text(when(is_zone).then(zone_ms).otherwise(size))
    way = when(col("is_ahead")).then(lit("ahead of")).otherwise(lit("behind"))
    whose = when(col("others").list.len() > 1).then(lit("those of nodes")).otherwise(lit("that of node"))
    drift = when(col("drift_ppm") > 0).then(filled_text(", and drifts by {} ppm", "drift_ppm"))
    option = ": as one that logs in another time zone: give it in --conf (clusters: {}: brokers: {}: zone: AREA/CITY)"
    zone = when(is_zone).then(filled_text(option, "cluster_id", "off_id"))
    return filled_text(
        "the clock of node {} is {} {} {} {}{}{}",
        *("off_id", apart, way, whose, enumerated_ids("others")),
        *(drift.otherwise(lit("")), zone.otherwise(lit(""))),
    )


RULE = Rule(
    name="clock_skew",
    version=1,
    severities=("warning", "info"),
    facts=("node_id", "other_ids", "apart_ms", "drift_ppm"),
    find=find,
    limits=(
        Limit("clock_skew_ms", 1000, "ms", "Clocks of nodes that are certainly further apart are told."),
        Limit(
            "clock_skew_warning_ms", 10_000, "ms", "Clocks that are certainly further apart are a warning."
        ),
    ),
)
