"""Lines of one node that say the same again and again, put into runs."""

import polars as pl
from polars import col

from pipeline.model.lines.evidence import LINE, known_lines, outermost_lines
from pipeline.rules.shared.wording import epoch_millis

DAY_MS, STILL_MS, LASTING_MS = 86_400_000, 60_000, 600_000
CASE = ("cluster_id", "kind", "voter_id")


def in_runs(told: pl.DataFrame, key: tuple[str, ...]) -> pl.DataFrame:
    """One row for the lines of each, each within a day of the one before: the first four and the last."""
    apart = epoch_millis("logged_at") - epoch_millis("logged_at").shift(1).over(key)
    return (
        told.sort("logged_at", *LINE)
        .with_columns(run=(apart > DAY_MS).fill_null(value=True).cast(pl.Int64).cum_sum().over(key))
        .group_by(*key, "run", maintain_order=True)
        .agg(
            col("detail", "exception_class").first(),
            message=col("exception_message").first(),
            failures=pl.len(),
            peer_ids=col("peer_id").filter(col("peer_id") >= 0).unique().sort(),
            valid_from_at=col("logged_at").first(),
            valid_until_at=col("logged_at").last(),
            evidence=known_lines(LINE).explode(),
        )
        .with_columns(evidence=outermost_lines(col("evidence")))
    )
