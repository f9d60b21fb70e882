"""Stretches of time in frames: what nothing accompanies, and what a periodic line should have broken."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.core.days import hour_of

Names = Sequence[str]


FAR = "9999-01-01"  # the end of what goes on


def open_end(until: str = "until_at") -> Column:
    """The end of a stretch, far away where it has none."""
    return F.coalesce(until, F.lit(FAR).cast("timestamp"))


def with_island(stretches: DataFrame, by: Names) -> DataFrame:
    """Adds island: a number that stretches (from_at, until_at; null: open) of the same `by` share where they touch."""
    order = Window.partitionBy(*by).orderBy("from_at", open_end())
    before = F.max(open_end()).over(order.rowsBetween(Window.unboundedPreceding, -1))
    is_apart = F.coalesce(F.col("from_at") > before, F.lit(True)).cast("int")
    return stretches.withColumn("is_apart", is_apart).withColumn(
        "island", F.sum("is_apart").over(order.rowsBetween(Window.unboundedPreceding, 0))
    )


def split(rows: DataFrame, times: Column) -> DataFrame:
    """Rows (valid_from_at, valid_until_at; null: open) in pieces: cut at those of an array of times that lie inside."""
    ends = ("valid_from_at", "valid_until_at")

    def is_inside(at: Column) -> Column:
        return (at > F.col(ends[0])) & F.coalesce(at < F.col(ends[1]), F.lit(True))

    inside = F.array_sort(F.array_distinct(F.filter(times, is_inside)))
    begun, ended = F.concat(F.array(ends[0]), inside), F.concat(inside, F.array(ends[1]))
    others = [name for name in rows.columns if name not in ends]
    return rows.select(*others, F.inline(F.arrays_zip(begun.alias(ends[0]), ended.alias(ends[1]))))


def first_place() -> Column:
    """(at, file_id, byte_offset) of the first line of a row that counts lines (first_at, first_offset)."""
    return F.struct(F.col("first_at").alias("at"), "file_id", F.col("first_offset").alias("byte_offset"))


def last_place() -> Column:
    return F.struct(F.col("last_at").alias("at"), "file_id", F.col("last_offset").alias("byte_offset"))


def places(*ends: str) -> Column:
    """Evidence: (file_id, byte_offset) of these structs."""
    return F.array(*(F.struct(f"{end}.file_id", f"{end}.byte_offset") for end in ends))


def untouched(rows: DataFrame, times: DataFrame, by: Names) -> DataFrame:
    """Rows (from_at, until_at) that no stretch of `times` (first_at, last_at) with the same `by` touches."""
    touches = (F.col("t.first_at") <= F.col("r.until_at")) & (F.col("t.last_at") >= F.col("r.from_at"))
    for name in by:
        touches = touches & (F.col(f"r.{name}") == F.col(f"t.{name}"))
    return rows.alias("r").join(F.broadcast(times).alias("t"), touches, how="left_anti")


def by_hour(rows: DataFrame, by: Names) -> DataFrame:
    """(first, last, record_count) per hour."""
    timed = rows.where("first_at IS NOT NULL")
    return timed.groupBy(*by, hour_of("first_at").alias("hour_at")).agg(
        F.min(first_place()).alias("first"),
        F.max(last_place()).alias("last"),
        F.sum("record_count").alias("record_count"),
    )


def unaccompanied(acts: DataFrame, others: DataFrame, by: Names, near_seconds: int) -> DataFrame:
    """Stretches of hours that hold acts and none of the others nearer than that; touching ones are one.

    Both inputs count lines (first_at, last_at, first_offset, record_count).
    Out: from_at, until_at, record_count, first (place).
    """
    near = F.make_dt_interval(secs=F.lit(near_seconds))
    present = by_hour(others, by)
    widened = present.select(
        *by, (F.col("first.at") - near).alias("first_at"), (F.col("last.at") + near).alias("last_at")
    )
    alone = by_hour(acts, by).withColumns({"from_at": F.col("first.at"), "until_at": F.col("last.at")})
    marked = untouched(alone, widened, by).withColumn("is_present", F.lit(False))
    others_marked = present.select(*by, "hour_at", F.lit(True).alias("is_present"))
    order = Window.partitionBy(*by).orderBy("hour_at", "is_present").rowsBetween(Window.unboundedPreceding, 0)
    return (
        marked.unionByName(others_marked, allowMissingColumns=True)
        .withColumn("island", F.sum(F.col("is_present").cast("int")).over(order))
        .where("NOT is_present")
        .groupBy(*by, "island")
        .agg(
            F.min("from_at").alias("from_at"),
            F.max("until_at").alias("until_at"),
            F.sum("record_count").alias("record_count"),
            F.min("first").alias("first"),
        )
    )


def overdue(lines: DataFrame, by: Names, late_periods: int, late_seconds: int) -> DataFrame:
    """Stretches in which a line that comes at a fixed period did not: later than so many periods and seconds.

    lines: counts of one kind of line per `by`. The period is the median of what each hour shows, and of the time from
    one hour with lines to the next: of what comes every hour or less, an hour that shows two tells nothing.
    Out: from_at, until_at, period and missing (seconds), before and after (places of the lines around).
    Inside an hour only the hour is known, and only that some are missing.
    """
    hours = by_hour(lines, by)
    order = Window.partitionBy(*by).orderBy("hour_at")
    within = hours.select(
        *by,
        F.col("first").alias("before"),
        F.col("last").alias("after"),
        (F.col("record_count") - 1).alias("periods"),
    )
    between = hours.select(
        *by,
        F.lag("last").over(order).alias("before"),
        F.col("first").alias("after"),
        F.lit(0).alias("periods"),
    )
    seconds = F.col("after.at").cast("double") - F.col("before.at").cast("double")
    steps = between.unionByName(within).where("before IS NOT NULL")
    step = F.when(seconds > 0, seconds / F.greatest("periods", F.lit(1)))
    period = (
        steps.groupBy(*by)
        .agg(F.percentile_approx(step, 0.5).alias("period"), F.max("periods").alias("most"))
        .where("most > 0")
        .drop("most")
    )
    missing = seconds - F.col("periods") * F.col("period")
    return (
        steps.join(F.broadcast(period), on=list(by), how="inner")
        .where(missing > late_periods * F.col("period") + late_seconds)
        .select(
            *by, "period", missing.alias("missing"), "before", "after",
            F.col("before.at").alias("from_at"), F.col("after.at").alias("until_at"),
        )
    )  # fmt: skip
