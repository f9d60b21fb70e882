"""Stretches of time in frames: which touch, which nothing accompanies, and what a periodic line should have broken.

A frame that counts lines has file_id, first_at, first_offset, last_at, last_offset and record_count.
A place is three columns with one prefix: <prefix>_at, <prefix>_file_id and <prefix>_offset.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of

Names = Sequence[str]

FAR = datetime(9999, 1, 1, tzinfo=UTC)  # the end of what goes on
TIME = pl.Datetime("us", "UTC")
PLACE = ("at", "file_id", "offset")
US = 1e6  # microseconds in a second


def milliseconds_between(since: str, until: str) -> pl.Expr:
    """Whole milliseconds from that column to the other, both cut to milliseconds first."""
    return col(until).dt.epoch("ms") - col(since).dt.epoch("ms")


def open_end(until: str = "until_at") -> pl.Expr:
    """The end of a stretch, far away where it has none."""
    return pl.coalesce(until, lit(FAR, TIME))


@needs_rows_of("stretches")
def with_island(stretches: pl.DataFrame, by: Names) -> pl.DataFrame:
    """Adds island: a number that stretches (from_at, until_at; null: open) of the same `by` share where they touch."""
    end_before = open_end().cum_max().shift(1).over(by)
    is_apart = (col("from_at") > end_before).fill_null(value=True)
    return (
        stretches.sort(*by, "from_at", open_end())
        .with_columns(is_apart=is_apart)
        .with_columns(island=col("is_apart").cast(pl.Int64).cum_sum().over(by))
        .drop("is_apart")
    )


def split_spans(rows: pl.DataFrame, times: pl.Expr) -> pl.DataFrame:
    """Rows (valid_from_at, valid_until_at; null: open) in pieces, which the times of a list inside each row divide."""
    begin, end, at = col("valid_from_at"), col("valid_until_at"), col("at")
    is_inside = (at > begin) & (end.is_null() | (at < end))
    numbered = rows.with_row_index("row")
    later = numbered.select("row", begin, end, at=times).explode("at").filter(is_inside)
    begins = pl.concat([numbered.select("row", begin), later.select("row", valid_from_at="at")])
    until_next = begin.shift(-1).over("row")
    return (
        begins.unique()
        .join(numbered.drop("valid_from_at"), on="row", how="inner")
        .sort("row", "valid_from_at")
        .with_columns(valid_until_at=pl.coalesce(until_next, end))
        .select(rows.columns)
    )


@needs_rows_of("rows")
def without_touched_spans(rows: pl.DataFrame, times: pl.DataFrame, by: Names) -> pl.DataFrame:
    """Rows (from_at, until_at) that no stretch of `times` (first_at, last_at) with the same `by` touches."""
    reached = (
        times.select(*by, "first_at", "last_at")
        .sort("first_at")
        .with_columns(reached_at=col("last_at").cum_max().over(by))
    )
    is_touched = (col("reached_at") >= col("from_at")).fill_null(value=False)
    return (
        rows.sort("until_at")
        .join_asof(
            reached.select(*by, "first_at", "reached_at"),
            left_on="until_at",
            right_on="first_at",
            by=list(by),
            strategy="backward",
            check_sortedness=False,
        )
        .filter(~is_touched)
        .select(rows.columns)
    )


def by_hour(lines: pl.DataFrame, by: Names) -> pl.DataFrame:
    """One row per hour with lines: hour_at, record_count, and the places `first` and `last`."""

    def ends(name: str) -> dict[str, pl.Expr]:
        own = (col(f"{name}_at"), col("file_id"), col(f"{name}_offset"))
        return {f"{name}_{part}": one for part, one in zip(PLACE, own, strict=True)}

    timed = lines.filter(col("first_at").is_not_null()).select(
        *by,
        hour_at=col("first_at").dt.truncate("1h"),
        record_count=col("record_count"),
        **ends("first"),
        **ends("last"),
    )
    hour = [*by, "hour_at"]
    first = [f"first_{part}" for part in PLACE]
    last = [f"last_{part}" for part in PLACE]
    return (
        timed.group_by(hour)
        .agg(
            *(col(name).sort_by(first).first() for name in first),
            *(col(name).sort_by(last).last() for name in last),
            col("record_count").sum(),
        )
        .sort(hour)
    )


@needs_rows_of("acts")
def unaccompanied_spans(
    acts: pl.DataFrame, others: pl.DataFrame, by: Names, near_seconds: int
) -> pl.DataFrame:
    """Stretches of hours that hold acts and none of the others nearer than that; touching ones are one.

    Both inputs count lines. Out: from_at, until_at, record_count, and the place `first`.
    """
    near = pl.duration(seconds=near_seconds)
    present = by_hour(others, by)
    widened = present.select(*by, first_at=col("first_at") - near, last_at=col("last_at") + near)
    alone = by_hour(acts, by).with_columns(from_at="first_at", until_at="last_at")
    marked = without_touched_spans(alone, widened, by).with_columns(is_present=lit(value=False))
    hours = pl.concat(
        [marked, present.select(*by, "hour_at", is_present=lit(value=True))], how="diagonal"
    ).sort(*by, "hour_at", "is_present")
    return (
        hours.with_columns(island=col("is_present").cast(pl.Int64).cum_sum().over(by))
        .filter(~col("is_present"))
        .group_by(*by, "island", maintain_order=True)
        .agg(
            col("from_at").min(),
            col("until_at").max(),
            col("record_count").sum(),
            col("first_at", "first_file_id", "first_offset").first(),
        )
    )


def overdue_spans(lines: pl.DataFrame, by: Names, late_periods: int, late_seconds: int) -> pl.DataFrame:
    """Stretches in which a line that comes at a fixed period did not: later than so many periods and seconds.

    lines: counts of one kind of line per `by`. The period is the median of what each hour shows, and of the time from
    one hour with lines to the next: of what comes every hour or less, an hour that shows two tells nothing.
    Out: from_at, until_at, period and missing (seconds), and the places `before` and `after` of the lines around.
    Inside an hour only the hour is known, and only that some are missing.
    """
    steps = between_lines(lines, by).with_columns(
        seconds=epoch_seconds("after_at") - epoch_seconds("before_at")
    )
    step = when(col("seconds") > 0).then(col("seconds") / pl.max_horizontal("periods", 1))
    period = (
        steps.group_by(by)
        .agg(period=step.quantile(0.5, interpolation="lower"), most=col("periods").max())
        .filter(col("most") > 0)
    )
    return (
        steps.join(period.drop("most"), on=list(by), how="inner")
        .with_columns(missing=col("seconds") - col("periods") * col("period"))
        .filter(col("missing") > late_periods * col("period") + late_seconds)
        .with_columns(from_at="before_at", until_at="after_at")
        .drop("periods", "seconds")
    )


def between_lines(lines: pl.DataFrame, by: Names) -> pl.DataFrame:
    """One row per hour with lines (from its first to its last line; periods: how many lie between), and one per hour
    that follows another (from the last line of that to the first of this; periods: 0)."""
    hours = by_hour(lines, by)

    def named(prefix: str, taken: str) -> dict[str, pl.Expr]:
        return {f"{prefix}_{part}": col(f"{taken}_{part}") for part in PLACE}

    before = {name: one.shift(1).over(by) for name, one in named("before", "last").items()}
    within = hours.select(
        *by, **named("before", "first"), **named("after", "last"), periods=col("record_count") - 1
    )
    between = hours.select(*by, **before, **named("after", "first"), periods=lit(0, pl.Int64))
    return pl.concat([within, between]).filter(col("before_at").is_not_null())


def epoch_seconds(at: str) -> pl.Expr:
    return col(at).dt.epoch("us") / US
