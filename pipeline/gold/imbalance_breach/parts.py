"""Parts of stretches of time that lie in breaches."""

from datetime import UTC, datetime

import polars as pl
from polars import col, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.stretches import FAR, open_end, with_island
from pipeline.core.touching import join_touching_spans
from pipeline.gold.imbalance_breach.episodes import BREACH, BROKER

LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)


@needs_rows_of("stretches")
def span_parts_in_breaches(
    breaches: pl.DataFrame, stretches: pl.DataFrame, each: tuple[str, ...] = (), *kept: str
) -> pl.DataFrame:
    """(BREACH, each, from_at, until_at, kept): the parts of stretches (BROKER, from_at, until_at; null: open) that lie
    in breaches, those that touch put together, of `each` by itself. Breaches may be parts of such already (from_at,
    until_at)."""
    since = "from_at" if "from_at" in breaches.columns else "breached_at"
    inside = breaches.select(*BREACH, begin_at=since, end_at="until_at")
    begun = stretches.select(*BROKER, *each, col("from_at").fill_null(LONG_AGO), "until_at", *kept)
    is_part = (col("from_at") < col("end_at")) & (open_end() > col("begin_at"))
    parts = (
        join_touching_spans(begun, inside, BROKER)
        .filter(is_part)
        .with_columns(
            from_at=pl.max_horizontal("from_at", "begin_at"), until_at=pl.min_horizontal("until_at", "end_at")
        )
    )
    return merge_touching_spans(parts, (*BREACH, *each), *kept)


@needs_rows_of("stretches")
def merge_touching_spans(stretches: pl.DataFrame, by: tuple[str, ...], *kept: str) -> pl.DataFrame:
    """(by, from_at, until_at, kept): stretches that touch are one; kept is of the first of them."""
    last = open_end().max()
    return (
        with_island(stretches, by)
        .sort(*by, "from_at", *kept)
        .group_by(*by, "island", maintain_order=True)
        .agg(col("from_at").min(), col(kept).first(), until_at=when(last < FAR).then(last))
        .drop("island")
    )
