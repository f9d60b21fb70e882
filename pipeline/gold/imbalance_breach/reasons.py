"""What Kafka's own checks did about breaches, and why these lasted."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.imbalance_breach.episodes import BREACH, BROKER

EVIDENCE_KEPT = 5
CHECKED = ("check_count", "triggered_count", "moved_count")
MS = 1000


def with_checks(breaches: pl.DataFrame, imbalance_check: pl.DataFrame) -> pl.DataFrame:
    """check_count, triggered_count and moved_count of checks by controllers in office."""
    checks = imbalance_check.filter(~col("is_stale"), "is_over").select(
        *BROKER, "checked_at", "is_triggered", "moved_count"
    )
    counted = (
        checks.join(breaches.select(*BREACH, "until_at"), on=BROKER)
        .filter(col("checked_at") >= col("breached_at"), col("checked_at") <= col("until_at"))
        .group_by(BREACH)
        .agg(
            check_count=pl.len().cast(pl.Int64),
            triggered_count=col("is_triggered").sum().cast(pl.Int64),
            moved_count=col("moved_count").sum(),
        )
    )
    return breaches.join(counted, on=BREACH, how="left").with_columns(col(CHECKED).fill_null(0))


def with_why(breaches: pl.DataFrame, imbalance_checks: int) -> pl.DataFrame:
    """why, is_standing, certainty and evidence: where it began, its height, and that the broker could lead."""
    allowed_ms = col("check_interval_seconds") * imbalance_checks * MS
    is_standing, duration_ms = col("able_ms") > allowed_ms, col("duration_ms")
    up_ms = duration_ms - col("down_ms")
    why = (
        when(~col("is_auto_rebalance_enabled"))
        .then(lit("auto_rebalance_disabled"))
        .when(is_standing & (col("reassigning_ms") * 2 > duration_ms))
        .then(lit("reassignment_in_progress"))
        .when(is_standing)
        .then(lit("not_rebalanced"))
        .when(col("down_ms") * 2 > duration_ms)
        .then(lit("preferred_down"))
        .when(col("able_ms") * 2 < up_ms)
        .then(lit("preferred_not_in_isr"))
        .otherwise(lit("between_checks"))
    )
    no_line = lit([], breaches.schema["evidence"])
    lines = pl.concat_list("begun", "evidence", pl.coalesce("able", no_line))
    is_guess = (col("why") == "preferred_not_in_isr") & (col("stale_ms") > 0)
    return breaches.with_columns(why=why).with_columns(
        is_standing=is_standing,
        certainty=when(is_guess).then(lit("undetermined")).otherwise("certainty"),
        evidence=lines.list.unique(maintain_order=True).list.head(EVIDENCE_KEPT),
    )
