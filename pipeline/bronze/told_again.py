"""Files that tell of a time again, as they were put together of files that hold the same lines."""

from datetime import timedelta

import polars as pl
from polars import col

# Lines of several threads stand some milliseconds out of order.
BACK = timedelta(milliseconds=100)
STRETCH = ("file_id", "load_seq", "lap")
LAP = {"file_id": pl.String, "node_id": pl.Int32, "byte_offset": pl.Int64, "lap": pl.UInt32}


def with_lap_numbers(log_record: pl.DataFrame, *by: str) -> pl.DataFrame:
    """The records that have a time, in the order of their bytes, with lap: how often the lines of their node have gone
    back by then. by: what is told apart, besides nodes."""
    writer = (*by, "node_id")
    is_back = (col("logged_at") < col("logged_at").shift() - BACK).fill_null(value=False)
    timed = log_record.filter(col("logged_at").is_not_null()).sort(*by, "byte_offset")
    return timed.with_columns(lap=is_back.cum_sum().over(writer))


def lap_begins(log_record: pl.DataFrame) -> pl.DataFrame:
    """(LAP): where in a file the lines of a node have gone back. log_record: all records of whole files."""
    gone_back = with_lap_numbers(log_record, "file_id").filter(col("lap") > 0)
    first = gone_back.group_by("file_id", "node_id", "lap").agg(col("byte_offset").min())
    return first.select(pl.col(name).cast(kind) for name, kind in LAP.items()).sort("byte_offset")


def with_laps(records: pl.DataFrame, begins: pl.DataFrame) -> pl.DataFrame:
    """The same with lap. begins: rows of `lap_begins`."""
    if begins.is_empty():
        return records.with_columns(lap=pl.lit(0, pl.UInt32))
    writer = ["file_id", "node_id"]
    # A join of as-of takes no null for equal.
    sides = [one.sort("byte_offset").with_columns(col("node_id").fill_null(-1)) for one in (records, begins)]
    found = sides[0].join_asof(sides[1], on="byte_offset", by=writer, check_sortedness=False)
    return found.with_columns(col("lap").fill_null(0), node_id=pl.when(col("node_id") != -1).then("node_id"))


def lap_stretches(log_record: pl.DataFrame) -> pl.DataFrame:
    """(STRETCH, first_logged_at, last_logged_at): when each lap of each segment was written. Records of some segments
    give those of the segments."""
    timed = with_lap_numbers(log_record, "load_seq")
    return timed.group_by(STRETCH).agg(
        first_logged_at=col("logged_at").min(), last_logged_at=col("logged_at").max()
    )


def repeated_time_spans(own: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """(load_seq, from_at, until_at): the segments that tell of a time of which their file has told before, with those
    that did, and when. own: lap_stretches(); segments: rows of bronze.source_file."""
    first, last = col("first_logged_at"), col("last_logged_at")
    said = (*STRETCH, "first_logged_at", "last_logged_at")
    earlier = segments.filter(first.is_not_null()).join(own, on="load_seq", how="anti")
    earlier = earlier.join(own, on="file_id", how="semi").with_columns(lap=pl.lit(0, pl.UInt32))
    stretches = pl.concat([earlier.select(said), own.select(said)]).sort(STRETCH)
    reached = last.cum_max().shift().over("file_id")
    back = stretches.filter((col("lap") > 0) | (first <= reached))
    pairs = (
        stretches.join(back.join(own, on=STRETCH, how="semi"), on="file_id", suffix="_again")
        .filter(
            pl.struct("load_seq", "lap") != pl.struct(load_seq="load_seq_again", lap="lap_again"),
            first <= col("last_logged_at_again"),
            last >= col("first_logged_at_again"),
        )
        .with_columns(
            from_at=pl.max_horizontal(first, "first_logged_at_again"),
            until_at=pl.min_horizontal(last, "last_logged_at_again"),
        )
    )
    sides = [
        pairs.select(load_seq=name, from_at="from_at", until_at="until_at")
        for name in ("load_seq", "load_seq_again")
    ]
    return pl.concat(sides)
