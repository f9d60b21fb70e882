"""Verdicts on checks whose counts are known: is the ratio Kafka's own, is it over the limit, and what came of it."""

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.balancing import with_balancing_settings
from pipeline.model.brokers.candidates import online_brokers
from pipeline.model.settings import BalancingSetting
from schemas.silver.log_gap import LINES_MISSING

SIX_DECIMALS = r"^\d[.,]\d{6}$"  # up to 0.10.2; a Java double since
MILLION = 1_000_000


def with_ratio(asked: pl.DataFrame) -> pl.DataFrame:
    """imbalance_ratio, is_same: both ratios are the same double, or print the same six decimals; and the counts."""
    preferred, elsewhere = col("preferred"), col("elsewhere")
    has_group, is_in_term = preferred > 0, col("term_id").is_not_null()
    ratio = when(has_group).then(elsewhere.cast(pl.Float64) / preferred)
    is_old = col("printed").str.contains(SIX_DECIMALS)
    digits = when(is_old).then(col("printed").str.replace("[.,]", "")).cast(pl.Int64)
    is_same_double = ratio == col("kafka_ratio")
    prints_same = when(has_group).then(millionths_as_in_java(elsewhere, preferred)) == digits
    counts = {
        "preferred_count": "preferred",
        "led_elsewhere_count": "elsewhere",
        "moved_count": "moved",
        "listed_count": "listed",
    }
    return asked.with_columns(
        **{name: when(is_in_term).then(count) for name, count in counts.items()},
        imbalance_ratio=ratio,
        only_ours_count=elsewhere - col("agreed"),
        is_same=is_same_double.fill_null(value=False) | prints_same.fill_null(value=False),
    )


def millionths_as_in_java(part: pl.Expr, of: pl.Expr) -> pl.Expr:
    """The share as Java prints it with six decimals, which rounds a half up, without the decimal point."""
    return (2 * MILLION * part + of) // (2 * of)


def with_check_verdict(
    asked: pl.DataFrame, log_gap: pl.DataFrame, undetermined_stretch: pl.DataFrame
) -> pl.DataFrame:
    """reason, is_equal, is_stale, certainty and evidence: the line, and the list before it. Lines are missing, too,
    where on that day (UTC) it was not known before it who led a partition (gold.partition_timeline)."""
    missing = log_gap.filter(col("kind").is_in(LINES_MISSING))
    gaps = missing.group_by("cluster_id").agg(missing_from_at=pl.coalesce("from_at", "until_at").min())
    is_missing = (col("missing_from_at") <= col("checked_at")).fill_null(value=False) | col("is_in_doubt")
    is_whole = col("is_whole").fill_null(value=False)
    is_in_term = col("term_id").is_not_null()
    reason = (
        when(~is_in_term)
        .then(lit("term_unknown"))
        .when(~col("is_same") & ~is_whole)
        .then(lit("beginning_missing"))
        .when(~col("is_same") & is_missing)
        .then(lit("lines_missing"))
    )
    is_decided = col("reason").is_null()
    is_stale = (col("superseded_at") < col("checked_at")).fill_null(value=False)
    own = pl.struct("file_id", "byte_offset")
    listing = pl.struct(file_id="listing_file_id", byte_offset="listing_offset")
    lines = (
        when(col("listing_seq").is_null()).then(pl.concat_list(own)).otherwise(pl.concat_list(own, listing))
    )
    return (
        asked.join(gaps, on="cluster_id", how="left")
        .pipe(with_doubt, undetermined_stretch)
        .with_columns(reason=reason, is_stale=when(is_in_term).then(is_stale), evidence=lines)
        .with_columns(
            is_equal=when(is_decided).then("is_same"),
            certainty=when(is_decided).then(lit("proved")).otherwise(lit("undetermined")),
        )
    )


def with_doubt(asked: pl.DataFrame, undetermined_stretch: pl.DataFrame) -> pl.DataFrame:
    """is_in_doubt: the leader of a partition is undetermined at some time of that day (UTC) before the check."""
    doubted = undetermined_stretch.sort("cluster_id", "from_at").with_columns(
        col("until_at").cum_max().over("cluster_id")
    )
    is_that_day = col("until_at") >= col("checked_at").dt.truncate("1d")
    return (
        asked.sort("checked_at")
        .join_asof(
            doubted.sort("from_at"),
            left_on="checked_at",
            right_on="from_at",
            by="cluster_id",
            check_sortedness=False,
        )
        .with_columns(is_in_doubt=is_that_day.fill_null(value=False))
        .drop("from_at", "until_at")
    )


def with_limit(
    asked: pl.DataFrame, balancing_setting: BalancingSetting, broker_setting: pl.DataFrame
) -> pl.DataFrame:
    """The limit is what the controller that checks goes by at that time."""
    limited = with_balancing_settings(
        asked, "controller_id", balancing_setting, broker_setting, at="checked_at"
    )
    is_over = col("kafka_ratio") > col("threshold_ratio")
    return limited.with_columns(is_over=is_over.fill_null(value=False))


def with_follow_up(asked: pl.DataFrame) -> pl.DataFrame:
    """What came of the check; null where it is over the limit and the term is not known."""
    is_live = online_brokers().list.contains(col("broker_id"))
    follow_up = (
        when(~col("is_over"))
        .then(lit("none_needed"))
        .when(col("term_id").is_null())
        .then(lit(None))
        .when("is_stale")
        .then(lit("superseded"))
        .when(col("moved_count") >= col("led_elsewhere_count"))
        .then(lit("rebalanced"))
        .when(col("moved_count") > 0)
        .then(lit("partly_rebalanced"))
        .when(~is_live)
        .then(lit("preferred_down"))
        .otherwise(lit("left"))
    )
    return asked.with_columns(follow_up=follow_up)
