"""Where files are cut into segments: by nights of as many lines, by records, or not at all."""

from dataclasses import dataclass
from datetime import timedelta

import polars as pl
from polars import col

from schemas.bronze import log_record


@dataclass(frozen=True)
class Segments:
    """Records of one cluster, each with the segment (load_seq) that brings it, and the night of each segment."""

    records: pl.DataFrame
    nights: dict[int, int]


def wiped(rows: pl.DataFrame, seconds: int) -> pl.DataFrame:
    """The lines twice in the same files: as of a cluster that is wiped, and so many seconds after its last line begins
    anew under the same logs."""
    ends = rows.group_by("file_id").agg(end=(col("byte_offset") + col("byte_length")).max())
    later_by = col("logged_at").max() - col("logged_at").min() + timedelta(seconds=seconds)
    later = rows.join(ends, on="file_id").with_columns(
        col("byte_offset") + col("end"), col("logged_at") + later_by
    )
    return pl.concat([rows, later.select(rows.columns)])


def by_lines(rows: pl.DataFrame, nights: int) -> Segments:
    """Each file in pieces of its own clock (the running maximum), so that each night brings about as many lines: in
    the midst of an hour, a second, a controller's start."""
    times = rows["logged_at"].drop_nulls().sort().to_list()
    cuts = sorted({times[len(times) * one // nights] for one in range(1, nights)})
    clock = col("logged_at").cum_max().over("file_id").forward_fill().over("file_id")
    later = ((clock >= one).fill_null(value=False).cast(pl.Int64) for one in cuts)
    pieces = rows.sort("file_id", "byte_offset").with_columns(night=pl.sum_horizontal(pl.lit(0), *later))
    number = col("night") * rows["file_id"].n_unique() + col("file_id").rank("dense").cast(pl.Int64)
    numbered = pieces.with_columns(load_seq=number.cast(pl.Int64))
    nights_of = dict(numbered.select("load_seq", "night").unique().iter_rows())
    return Segments(numbered.select(log_record.SPEC.columns), nights_of)


def by_files(records: pl.DataFrame) -> Segments:
    """Each file whole, in one night."""
    number = col("file_id").rank("dense").cast(pl.Int64)
    whole = records.with_columns(load_seq=number).select(log_record.SPEC.columns)
    return Segments(whole, dict.fromkeys(whole["load_seq"].unique().to_list(), 0))


def by_records(records: pl.DataFrame) -> pl.DataFrame:
    """Each record in a segment of its own."""
    return records.sort("file_id", "byte_offset").with_columns(
        load_seq=pl.int_range(1, pl.len() + 1, dtype=pl.Int64)
    )
