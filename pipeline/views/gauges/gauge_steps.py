"""Gauges over time, as frames of steps: sums of what begins and ends, and where they are not told."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import Condition, column_reaching
from pipeline.core.stretches import TIME
from pipeline.views.terms.tenures import at_or_before

STRETCH: dict[str, pl.DataType] = {"from_at": TIME, "until_at": TIME, "weight": pl.Int64()}


@dataclass(frozen=True)
class GaugeWindow:
    """Both ends count."""

    since: datetime
    until: datetime

    def touches(self, begin: str, end: str) -> Condition:
        """Rows with these columns hold at some time of it; an end that is null has not come."""
        return at_or_before(begin, self.until) & column_reaching(end, self.since)


def weighted_spans(rows: Iterable[tuple[datetime, datetime | None, int]]) -> pl.DataFrame:
    """Of rows (from_at, until_at; null: it goes on, weight)."""
    return pl.DataFrame(list(rows), schema=STRETCH, orient="row")


def sum_weights(counted: pl.DataFrame, window: GaugeWindow) -> pl.DataFrame:
    """(at, value): the sum of the weights of the stretches that hold, at the begin of the window and whenever it
    changes. A stretch has its first instant and not its last."""
    begin, end = col("from_at"), col("until_at")
    inside = counted.select(*STRETCH).filter(
        begin <= window.until, end.is_null() | (end > pl.max_horizontal(begin, lit(window.since)))
    )
    begun = inside.select(at=pl.max_horizontal(begin, lit(window.since)), weight="weight")
    ended = inside.filter(end <= window.until).select(at=end, weight=-col("weight"))
    start = pl.DataFrame({"at": [window.since], "weight": [0]}, schema={"at": TIME, "weight": pl.Int64})
    return (
        pl.concat([start, begun, ended])
        .group_by("at")
        .agg(col("weight").sum())
        .sort("at")
        .select("at", value=col("weight").cum_sum())
        .pipe(changed_steps)
    )


def changed_steps(steps: pl.DataFrame) -> pl.DataFrame:
    """The steps that change something."""
    is_first = pl.int_range(pl.len()) == 0
    return steps.filter(is_first | col("value").ne_missing(col("value").shift(1)))


def known_value_steps(
    value: pl.DataFrame, known: pl.DataFrame, unknown: pl.DataFrame | None, window: GaugeWindow
) -> pl.DataFrame:
    """(at, value) of value, null while no stretch of known holds, or one of unknown does."""
    doubts = [
        sum_weights(known.with_columns(weight=lit(1, pl.Int64)), window).select(
            "at", is_told=col("value") > 0
        ),
    ]
    if unknown is not None:
        sure = sum_weights(unknown.with_columns(weight=lit(1, pl.Int64)), window)
        doubts.append(sure.select("at", is_sure=col("value") == 0))
    both = value
    for one in doubts:
        both = both.join(one, on="at", how="full", coalesce=True)
    flags = [name for name in both.columns if name.startswith("is_")]
    filled = both.sort("at").with_columns(col("value", *flags).forward_fill())
    return filled.select("at", value=when(pl.all_horizontal(flags)).then("value")).pipe(changed_steps)
