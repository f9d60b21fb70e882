"""From which day on a run builds anew: what lies before it cannot differ from what is stored."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import polars as pl
from polars import col

from jobs.engine.incremental.at_hand import LOGS, of_each_log
from pipeline.core.incremental import Watch, affected_from, earliest_time, first_time, watched_tables
from pipeline.model.partitions.partition_states import GRACE_SECONDS

LATE = timedelta(seconds=GRACE_SECONDS)  # how long a line still tells of a state that another one followed
Version = Mapping[str, pl.DataFrame]


def watched_difference(watches: Iterable[Watch], now: Version, before: Version) -> datetime | None:
    """The earliest time from which on other tables rest on what two versions of tables, by short name, differ in."""
    return earliest_time(
        *(affected_from(watched_rows(one, now), watched_rows(one, before)) for one in watches)
    )


def watched_rows(watch: Watch, tables: Version) -> pl.DataFrame:
    return watch(**{name: tables[name] for name in watched_tables(watch)})


def dirty_at(segments: pl.DataFrame, watched_at: datetime | None) -> datetime | None:
    """The earliest time of which a run tells anew; None: of none.

    segments: rows of bronze.source_file with status: new, old, or gone as others replace them. watched_at: of
    watched_difference(), which lies no earlier than the first line.
    """
    begin = first_time(segments, "first_logged_at")
    of_tables = watched_at if watched_at is None or begin is None else max(watched_at, begin)
    new = first_time(segments.filter(col("status") == "new"), "first_logged_at")
    return earliest_time(new, earliest_overtaken_time(segments), of_tables)


def first_affected_time(segments: pl.DataFrame, at: datetime) -> datetime:
    """From when on lines from `at` on may tell of what is stored: LATE before, if a stored segment reaches so far."""
    reaches = (col("status") == "old") & (col("first_logged_at") < at) & (col("last_logged_at") >= at - LATE)
    return at - LATE if segments.select(reaches.any()).item() else at


def earliest_overtaken_time(segments: pl.DataFrame) -> datetime | None:
    """The earliest time of segments that are gone, of all logs, and of LOGS those that stand behind a new one or one
    that is gone, or whose file has come to another place among those of its node and log."""
    own = of_each_log(segments).filter(col("log").is_in(LOGS))
    of_log = ("cluster_id", "node_id", "log")
    order = ("file_from_at", "file_id", "start_offset")
    is_behind = (col("status") != "old").cast(pl.Int32).cum_sum().shift(1, fill_value=0).over(*of_log) > 0
    stored = pl.when(col("status") != "new").then("first_logged_at").min().over("log", "file_id")
    moved = (col("file_from_at") < stored).fill_null(value=False)
    found = own.sort(*order).with_columns(is_behind=is_behind, is_moved=moved)
    begin = pl.when("is_moved").then("file_from_at").otherwise("first_logged_at")
    touched = found.filter(col("status") == "old", col("is_behind") | col("is_moved"))
    gone = segments.filter(col("status") == "gone")
    return earliest_time(first_time(touched.select(at=begin), "at"), first_time(gone, "first_logged_at"))
