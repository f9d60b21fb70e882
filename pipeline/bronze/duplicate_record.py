"""Finds records that another file of the same node and log holds too, and leaves them out."""

import polars as pl
from polars import col

from schemas.bronze.duplicate_record import SPEC

SEGMENT = ("cluster_id", "node_id", "file_id", "load_seq")
RECORD = ("load_seq", "file_id", "byte_offset")
AT_ONCE = ("cluster_id", "node_id", "log", "logged_at")
SAME = (*AT_ONCE, "raw")
PLACE = ("file_id", "byte_offset")
OF_PLACE = ("of_file_id", "of_byte_offset")


def overlapping_segments(segments: pl.DataFrame, new: pl.DataFrame, *by: str) -> pl.DataFrame:
    """(load_seq, from_at, until_at): the segments that may share records with a new one, and when.

    segments: rows of bronze.source_file or, by log, of segment_log_spans(). new: those of them that are loaded or
    derived in this run. Both sides of each pair are there. Lazily, so that pairs which share no time are left out while
    they are joined: of 20,000 small files there are forty million, 4 GB.
    """
    writer = ("cluster_id", "node_id", *by)
    span = (*writer, "file_id", "load_seq", "first_logged_at", "last_logged_at")
    first, last = col("first_logged_at"), col("last_logged_at")
    pairs = (
        segments.lazy()
        .select(span)
        .join(new.lazy().select(span), on=writer, nulls_equal=True, suffix="_new")
        .filter(
            col("file_id") != col("file_id_new"),
            first <= col("last_logged_at_new"),
            last >= col("first_logged_at_new"),
        )
        .with_columns(
            from_at=pl.max_horizontal(first, "first_logged_at_new"),
            until_at=pl.min_horizontal(last, "last_logged_at_new"),
        )
        .collect()
    )
    sides = [
        pairs.select(load_seq=name, from_at="from_at", until_at="until_at")
        for name in ("load_seq", "load_seq_new")
    ]
    return merge_overlaps(pl.concat(sides))


def merge_overlaps(overlap: pl.DataFrame) -> pl.DataFrame:
    """A row a segment."""
    both = overlap.group_by("load_seq")
    return both.agg(col("from_at").min(), col("until_at").max()).sort("load_seq")


def segment_log_spans(log_record: pl.DataFrame, overlap: pl.DataFrame) -> pl.DataFrame:
    """(SEGMENT, log, first_logged_at, last_logged_at): which logs the segments of `overlap` tell of, and when; the two
    logs of a controller always overlap and share nothing."""
    own = log_record.join(overlap, on="load_seq", how="semi")
    return own.group_by(*SEGMENT, "log").agg(
        first_logged_at=col("logged_at").min(), last_logged_at=col("logged_at").max()
    )


def of_whole_files(overlap: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """The same and the other segments of these files that tell of such a time: what a record's number in its file is
    does not depend on how nights cut the file. file_end: where its last record ends; null while one is held back.
    begin_at: the earliest time of the segment.

    segments: rows of bronze.source_file.
    """
    files = overlap.join(segments.select("load_seq", "file_id"), on="load_seq").drop("load_seq")
    end = pl.when(~col("is_last_held_back")).then("consumed_bytes").sort_by("consumed_bytes").last()
    return (
        segments.with_columns(file_end=end.over("file_id"))
        .join(files, on="file_id")
        .filter(col("first_logged_at") <= col("until_at"), col("last_logged_at") >= col("from_at"))
        .group_by("load_seq", "file_end", begin_at="first_logged_at")
        .agg(col("from_at").min(), col("until_at").max())
        .sort("load_seq")
    )


def comparable_records(log_record: pl.DataFrame, overlap: pl.DataFrame) -> pl.DataFrame:
    """(SAME, RECORD, lap, is_last): the records that may be in two files. is_last: nothing follows it in its file, or
    something else where its line was to end.

    What a file begins with before its first record has no time, and is compared at the begin of the file.
    overlap: rows of `of_whole_files`; nothing else of log_record is compared. Without lap no file tells of a
    time again.
    """
    return (
        log_record.filter(col("raw").is_not_null())
        .filter(col("logged_at").is_not_null() | (col("byte_offset") == 0))
        .join(overlap, on="load_seq")
        .with_columns(logged_at=pl.coalesce("logged_at", "begin_at"))
        .filter(col("logged_at").is_between("from_at", "until_at"))
        .with_columns(
            is_last=col("file_end").eq_missing(col("byte_offset") + col("byte_length"))
            | ~col("raw").bin.ends_with(b"\n")
        )
        .pipe(in_laps)
        .select(*SAME, *RECORD, "lap", "is_last")
    )


def in_laps(records: pl.DataFrame) -> pl.DataFrame:
    return records if "lap" in records.columns else records.with_columns(lap=pl.lit(0, pl.UInt32))


def may_be_cut(records: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """(file_id, byte_offset, is_inside, length, of_file_id, of_byte_offset): the last records of files beside those of
    the same time that they may be cut short of. is_inside: records follow the other; length: its bytes.

    One that is the same as a record inside a file is as it was written, unless an earlier run found it cut short.
    records: rows of `compared`. named: what earlier runs found, rows of bronze.duplicate_record.
    """
    known = named.select(PLACE).unique().with_columns(is_named=True)
    last = records.filter("is_last").select(*AT_ONCE, *PLACE, last="raw")
    last = last.join(known, on=PLACE, how="left")
    others = records.select(
        *AT_ONCE, "raw", length=col("raw").bin.size(), is_inside=~col("is_last"), of_file_id="file_id",
        of_byte_offset="byte_offset",
    )  # fmt: skip
    is_same = col("is_named").is_null() & col("is_inside") & (col("raw") == col("last"))
    return (
        others.join(last, on=AT_ONCE, nulls_equal=True)
        .filter(is_same | is_truncated_copy(col("last"), col("raw"), col("is_inside")))
        .with_columns(is_written=is_same.any().over(PLACE))
        .filter(~col("is_written"), col("file_id") != col("of_file_id"))
        .select(*PLACE, "is_inside", "length", *OF_PLACE)
    )


def cut_short(log_record: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """(file_id, byte_offset, of_file_id, of_byte_offset): last records that are cut short, and of which.

    Lines of one millisecond begin alike: it is so only where the records before both are the same, or both are the
    first of their files. Of several, records inside files are taken first, then the longest. log_record: those before
    them. pairs: rows of `may_be_cut`.
    """
    said = ("logged_at", "byte_length", "raw")
    before = log_record.select(
        "file_id", byte_offset=col("byte_offset") + col("byte_length"), before=pl.struct(said)
    )
    for side in ("", "of_"):
        own = before.rename({name: f"{side}{name}" for name in before.columns})
        pairs = pairs.join(own, on=[f"{side}{name}" for name in PLACE], how="left")
    is_first = (col("byte_offset") == 0) & (col("of_byte_offset") == 0)
    is_behind_same = col("before").is_not_null() & col("before").eq_missing(col("of_before"))
    return (
        pairs.filter(is_first | is_behind_same)
        .sort("is_inside", "length", *OF_PLACE)
        .group_by(PLACE, maintain_order=True)
        .agg(col(OF_PLACE).last())
    )


def build(records: pl.DataFrame, cut: pl.DataFrame | None) -> pl.DataFrame:
    """One row per record that another file brought before, or the same file before its lines went back in time.

    The same: node, log, time, bytes, and its number among such records of one lap of its file; so a line that was
    written twice stays twice. Of two that are the same the one of the lower load_seq counts, or the one that is whole.
    records: rows of `compared`. cut: rows of `cut_short`, few; None: none is cut short.
    """
    order = ("is_completed", *RECORD)
    same = (*SAME, "occurrence")
    return (
        (records.with_columns(is_completed=False) if cut is None else with_completed_bytes(records, cut))
        .sort("byte_offset")
        .with_columns(occurrence=pl.int_range(pl.len()).over(*SAME, "file_id", "lap"))
        .sort(order)
        .with_columns(col(name).first().over(same).alias(f"of_{name}") for name in RECORD)
        .filter((col("of_file_id") != col("file_id")) | (col("of_byte_offset") != col("byte_offset")))
        .select(SPEC.columns)
    )


def with_completed_bytes(records: pl.DataFrame, cut: pl.DataFrame) -> pl.DataFrame:
    """The same with is_completed: those that are cut short with the bytes of the record that they are cut short of."""
    whole = records.select(of_file_id="file_id", of_byte_offset="byte_offset", whole="raw")
    known = cut.join(whole, on=OF_PLACE).select(*PLACE, "whole")
    return records.join(known, on=PLACE, how="left").with_columns(
        is_completed=col("whole").is_not_null(), raw=pl.coalesce("whole", "raw")
    )


def is_truncated_copy(last: pl.Expr, raw: pl.Expr, is_inside: pl.Expr) -> pl.Expr:
    """Whether the last record of a file is cut short of another: its bytes are a beginning of the other's, or those and
    a begun line, which is that of the next record if the other is inside its file."""
    is_begun = raw.bin.starts_with(last) & ~is_with_begun_line(raw, last)
    return (raw != last) & (is_begun | is_inside & is_with_begun_line(last, raw))


def is_with_begun_line(longer: pl.Expr, raw: pl.Expr) -> pl.Expr:
    more = longer.bin.slice(raw.bin.size(), None)
    return raw.bin.ends_with(b"\n") & longer.bin.starts_with(raw) & ~more.bin.contains(b"\n")
