"""Which event a controller was busy with at a time."""

from collections.abc import Iterable
from datetime import datetime

import polars as pl
from polars import col

from pipeline.core.conditions import all_conditions, column_since, is_in
from pipeline.rules.shared.work import work_text
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.terms.tenures import at_or_before, context_row

TABLE = "gold.controller_event"
# What KRaft tells of an event that waited to be committed, and of a minute, is no work at one time.
NOT_OF_A_TIME = ("failed_event", "period")


def event_in_work_rows(answers: Answers, terms: Iterable[Row], at: datetime) -> list[Row]:
    """Rows of a context, one per event that was in work then; terms: those that act at that time."""
    own = [one["term_id"] for one in terms]
    if not own:
        return []
    was_then = all_conditions(
        at_or_before("began_at", at), column_since("ended_at", at), is_in("term_id", own)
    )
    rows = answers.rows(TABLE, was_then).filter(~col("kind").is_in(NOT_OF_A_TIME))
    about = pl.when(col("kind") == "slow_event").then("event_name").otherwise(work_text())
    return [
        context_row(
            one["kind"],
            {
                name: one[name]
                for name in ("about", "subject", "busy_ms", "partitions_count", "controller_id")
            },
            one["began_at"],
            one,
        )
        for one in rows.with_columns(about=about).sort("began_at", "work_seq").to_dicts()
    ]
