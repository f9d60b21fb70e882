"""What the days of a term come to."""

import polars as pl
from polars import col

from pipeline.model.lines.evidence import known_lines, outermost_lines
from pipeline.model.terms.term_steps import TERM

SUMS = ("late_count", "late_act_count", "sent_count", "empty_count", "write_count")


def sum_controller_days(controller_day: pl.DataFrame) -> pl.DataFrame:
    """One row per term that has days: its last line and act, sums of what came late, which brokers it found alive,
    and which were alive as it listed them last.

    refused_count: as brokers say or as their answers do, whichever are more.
    """
    found = (
        controller_day.sort(*TERM, "day_at")
        .group_by(TERM, maintain_order=True)
        .agg(
            col("last_line_at", "acted_at", "last_write_at").max(),
            col("has_state_changes").any(),
            col(SUMS).sum(),
            refused_count=pl.max_horizontal(col("refused_count").sum(), col("stale_count").sum()),
            write_lines=col("write_lines").drop_nulls().explode(),
            live_brokers=col("live_brokers").drop_nulls().first(),
            known_live_brokers=col("known_live_brokers").drop_nulls().last(),
        )
    )
    return found.with_columns(
        write_lines=outermost_lines(col("write_lines")).list.unique(maintain_order=True),
    ).join(last_lines_of_terms(controller_day), on=TERM, how="left")


def last_lines_of_terms(controller_day: pl.DataFrame) -> pl.DataFrame:
    """(TERM, last_line): the place of the last line of a term, a list."""
    has_lines = col("last_line_at").is_not_null()
    return (
        controller_day.filter(has_lines)
        .sort(*TERM, "last_line_at", "last_seq", "day_at", nulls_last=False)
        .unique(TERM, keep="last", maintain_order=True)
        .select(*TERM, last_line=known_lines(("file_id", "byte_offset")))
    )
