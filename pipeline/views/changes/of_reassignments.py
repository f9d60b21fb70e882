"""Reassignments begun, overridden, cancelled and refused, as changes."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import all_conditions, is_in
from pipeline.views.changes.frames import LINE, change_rows, group_requests, line_place_columns
from pipeline.views.changes.kinds import REASONS
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.times import reached_since

MOVES = "gold.reassignment"
MOVE = (
    *("topic", "partition", "started_at", "asked_from_at", "ended_at", "total_ms", "outcome", "reason"),
    "evidence",
)
CONTINUED = ("listed", "resumed")  # of one that began before: steps of silver.reassignment_event
# Up to 2.3 a controller begins them one by one.
TOGETHER = pl.duration(seconds=1)
NOT_BEGUN = ("skipped", "failed")


def of_reassignments(answers: Answers, since: datetime | None) -> list[pl.DataFrame]:
    """Those that a controller finds as it starts were asked for before."""
    rows = answers.rows(MOVES, reached_since("ended_at", since), MOVE)
    names = ("topic", "partition", *LINE)
    first_at = min(rows["started_at"].drop_nulls().to_list(), default=since)
    asked = all_conditions(is_in("step", CONTINUED), reached_since("logged_at", first_at))
    going_on = answers.rows("silver.reassignment_event", asked, names).unique()
    first = rows.with_columns(
        at=col("started_at"), ms="total_ms", **line_place_columns("evidence"), certainty=lit("proved")
    )
    is_refused = col("outcome").is_in(NOT_BEGUN) & (col("started_at") == col("ended_at"))
    is_override = col("asked_from_at") < col("started_at")
    kind = (
        when(is_refused).then(lit("reassignment_refused"))
        .when(is_override).then(lit("reassignment_overridden"))
        .otherwise(lit("reassignment"))
    )  # fmt: skip
    known = first.join(going_on, on=names, how="anti").with_columns(kind=kind)
    last = rows.with_columns(
        at=col("ended_at"), **line_place_columns("evidence", -1), certainty=lit("proved")
    )
    cancelled = last.filter(col("outcome") == "cancelled").with_columns(
        kind=lit("reassignment_cancelled"), outcome=lit(None, pl.String), ms=lit(None, pl.Int64)
    )
    both = pl.concat([known, cancelled], how="diagonal").with_columns(controller_id=lit(None, pl.Int32))
    is_told = col("kind") == "reassignment_refused"
    told = both.with_columns(
        outcome=when(is_told).then(lit("skipped")).when(col("outcome") == "completed").then(lit("completed"))
        .otherwise("outcome"),
        reason=when(is_told).then(col("reason").fill_null("unknown").replace(REASONS)),
    )  # fmt: skip
    return [change_rows(group_requests(told, TOGETHER, "kind", "reason"))]
