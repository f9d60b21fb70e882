"""Times without a leader of a quorum that does not settle: many of them are one finding, that of the quorum."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.rules.shared.wording import duration_text, epoch_millis, filled_text

OWN = ("cluster_id", "rule", "entity", "root_event", "valid_from_at")
NEAR = timedelta(days=1)
AT_MOST = "at_most_ms"


def gaps_while_flapping(gaps: pl.DataFrame, flapping: pl.DataFrame, flapping_departures: int) -> pl.DataFrame:
    """Findings of a time without a controller that is over, and of which a quorum has as many as it takes to flap while
    it flaps, or within a day of it: OWN, valid_until_at, facts, and nr, the row of flapping.

    gaps: findings of no_controller and quorum_without_leader; flapping: those of quorum_flapping.
    """
    times = flapping.with_row_index("nr").select(
        "nr", "cluster_id", first_at="valid_from_at", last_at="valid_until_at"
    )
    is_in = col("valid_until_at").is_between(col("first_at") - NEAR, col("last_at") + NEAR)
    return (
        gaps.select(*OWN, "valid_until_at", "facts")
        .join(times, on="cluster_id")
        .filter(is_in.fill_null(value=False))
        .unique(OWN, keep="first", maintain_order=True)
        .filter(pl.len().over("nr") >= flapping_departures)
    )


def without_absorbed_gaps(gaps: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    return gaps.join(told, on=OWN, how="anti", nulls_equal=True)


def with_gaps(flapping: pl.DataFrame, told: pl.DataFrame, no_quorum_leader_ms: int) -> pl.DataFrame:
    """Findings of quorum_flapping that say, too, how often nobody led for long, and when the longest time began. How
    long one was of which only an upper bound is known is not compared."""
    gap_ms = epoch_millis("valid_until_at") - epoch_millis("valid_from_at")
    is_known = col("facts").struct.field(AT_MOST).is_null()
    longest = when(is_known).then(gap_ms)
    counted = told.group_by("nr").agg(
        gaps_count=pl.len(),
        longest_gap_ms=longest.max(),
        longest_at=col("valid_from_at").filter(longest == longest.max()).min(),
    )
    limit = duration_text(lit(no_quorum_leader_ms))
    worst = filled_text(
        ", the longest {} from {} on",
        *(duration_text(col("longest_gap_ms")), col("longest_at").dt.strftime("%Y-%m-%d %H:%M:%S")),
    )
    said = filled_text("; {} times nobody led for more than {}{}", "gaps_count", limit, worst.fill_null(""))
    told_too = (col(name).cast(pl.Int64) for name in ("gaps_count", "longest_gap_ms"))
    facts = col("facts").struct.with_fields(*told_too)
    is_told = col("gaps_count").is_not_null()
    return (
        flapping.with_row_index("nr")
        .join(counted, on="nr", how="left", maintain_order="left")
        .with_columns(
            sentence=when(is_told).then(pl.concat_str("sentence", said)).otherwise("sentence"),
            facts=when(is_told).then(facts).otherwise("facts"),
        )
        .select(flapping.columns)
    )
