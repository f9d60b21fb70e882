"""Finds records that another file of the same node and log holds too, and leaves them out."""

import polars as pl
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from schemas.bronze.duplicate_record import SPEC

SEGMENT = ("cluster_id", "node_id", "file_id", "load_seq")
RECORD = ("load_seq", "file_id", "byte_offset")
SAME = ("cluster_id", "node_id", "log", "logged_at", "raw")


def overlaps(segments: pl.DataFrame, new: pl.DataFrame, *by: str) -> pl.DataFrame:
    """(load_seq, from_at, until_at): the segments that may share records with a new one, and when.

    segments: rows of bronze.source_file or, by log, of spans(). new: those of them that are loaded or derived in this
    run. Both sides of each pair are there.
    """
    writer = ("cluster_id", "node_id", *by)
    span = (*writer, "file_id", "load_seq", "first_logged_at", "last_logged_at")
    first, last = pl.col("first_logged_at"), pl.col("last_logged_at")
    pairs = (
        segments.select(span)
        .join(new.select(span), on=writer, nulls_equal=True, suffix="_new")
        .filter(
            pl.col("file_id") != pl.col("file_id_new"),
            first <= pl.col("last_logged_at_new"),
            last >= pl.col("first_logged_at_new"),
        )
        .with_columns(
            from_at=pl.max_horizontal(first, "first_logged_at_new"),
            until_at=pl.min_horizontal(last, "last_logged_at_new"),
        )
    )
    sides = [
        pairs.select(load_seq=name, from_at="from_at", until_at="until_at")
        for name in ("load_seq", "load_seq_new")
    ]
    both = pl.concat(sides).group_by("load_seq")
    return both.agg(pl.col("from_at").min(), pl.col("until_at").max()).sort("load_seq")


def spans(log_record: pl.DataFrame, overlap: pl.DataFrame) -> pl.DataFrame:
    """(SEGMENT, log, first_logged_at, last_logged_at): which logs the segments of `overlap` tell of, and when; the two
    logs of a controller always overlap and share nothing."""
    own = log_record.join(overlap, on="load_seq", how="semi")
    return own.group_by(*SEGMENT, "log").agg(
        first_logged_at=pl.col("logged_at").min(), last_logged_at=pl.col("logged_at").max()
    )


def of_whole_files(overlap: DataFrame, segments: DataFrame) -> DataFrame:
    """The same and the other segments of these files that tell of such a time: what a record's number in its file is
    does not depend on how nights cut the file. file_end: where its last record ends; null while one is held back.
    begin_at: the earliest time of the segment.

    segments: rows of bronze.source_file.
    """
    files = overlap.join(segments.select("load_seq", "file_id"), on="load_seq", how="inner").drop("load_seq")
    end = F.when(~F.col("is_last_held_back"), F.col("consumed_bytes"))
    return (
        segments.join(F.broadcast(files), on="file_id", how="inner")
        .withColumn("file_end", F.max_by(end, "consumed_bytes").over(Window.partitionBy("file_id")))
        .where("first_logged_at <= until_at AND last_logged_at >= from_at")
        .groupBy("load_seq", "file_end", F.col("first_logged_at").alias("begin_at"))
        .agg(F.min("from_at").alias("from_at"), F.max("until_at").alias("until_at"))
    )


def compared(log_record: DataFrame, overlap: DataFrame) -> DataFrame:
    """(SAME, RECORD, is_last): the records that may be in two files. is_last: nothing follows it in its file.

    What a file begins with before its first record has no time, and is compared at the begin of the file.
    overlap: rows of `of_whole_files`; nothing else of log_record is compared.
    """
    return (
        # Of what is understood the bytes are there, and are not put together to see that.
        log_record.where("event IS NOT NULL OR raw IS NOT NULL")
        .where("logged_at IS NOT NULL OR byte_offset = 0")
        .join(F.broadcast(overlap), on="load_seq", how="inner")
        .withColumn("logged_at", F.coalesce("logged_at", "begin_at"))
        .where("logged_at BETWEEN from_at AND until_at")
        .withColumn("is_last", F.expr("file_end <=> byte_offset + byte_length"))
        .select(*SAME, *RECORD, "is_last")
    )


def may_be_cut(records: DataFrame, named: DataFrame) -> DataFrame:
    """(file_id, byte_offset, is_inside, length, of_file_id, of_byte_offset): the last records of files beside those of
    the same time that they may be cut short of. is_inside: records follow the other; length: its bytes.

    One that is the same as a record inside a file is as it was written, unless an earlier run found it cut short.
    records: rows of `compared`. named: what earlier runs found, rows of bronze.duplicate_record.
    """
    at_once = F.struct(*(name for name in SAME if name != "raw")).alias("at")  # equal if no node is known
    place = ["file_id", "byte_offset"]
    known = named.select(*place, F.lit(True).alias("is_named"))
    last = records.where("is_last").select(at_once, *place, F.col("raw").alias("last"))
    last = last.join(known, on=place, how="left")
    others = records.select(
        at_once, "raw", F.length("raw").alias("length"), (~F.col("is_last")).alias("is_inside"),
        F.col("file_id").alias("of_file_id"), F.col("byte_offset").alias("of_byte_offset"),
    )  # fmt: skip
    is_same = F.col("is_named").isNull() & F.col("is_inside") & (F.col("raw") == F.col("last"))
    of_one = Window.partitionBy(*place)
    return (
        others.join(F.broadcast(last), on="at", how="inner")
        .where(is_same | is_cut_of(F.col("last"), F.col("raw"), F.col("is_inside")))
        .withColumn("is_written", F.bool_or(is_same).over(of_one))
        .where("NOT is_written AND file_id <> of_file_id")
        .select(*place, "is_inside", "length", "of_file_id", "of_byte_offset")
    )


def cut_short(log_record: DataFrame, pairs: DataFrame) -> DataFrame:
    """(file_id, byte_offset, of_file_id, of_byte_offset): last records that are cut short, and of which.

    Lines of one millisecond begin alike: it is so only where the records before both are the same, or both are the
    first of their files. Of several, records inside files are taken first, then the longest. pairs: rows of
    `may_be_cut`.
    """
    for side in ("", "of_"):
        place = [f"{side}file_id", f"{side}byte_offset"]
        before = log_record.select(
            F.col("file_id").alias(place[0]),
            (F.col("byte_offset") + F.col("byte_length")).alias(place[1]),
            F.struct("logged_at", "byte_length", "raw").alias(f"{side}before"),
        ).join(F.broadcast(pairs.select(*place)), on=place, how="left_semi")
        pairs = pairs.join(F.broadcast(before), on=place, how="left")
    is_first = (F.col("byte_offset") == 0) & (F.col("of_byte_offset") == 0)
    of = ("is_inside", "length", "of_file_id", "of_byte_offset")
    return (
        pairs.where(is_first | (F.col("before") == F.col("of_before")))
        .groupBy("file_id", "byte_offset")
        .agg(F.max(F.struct(*of)).alias("of"))
        .select("file_id", "byte_offset", "of.of_file_id", "of.of_byte_offset")
    )


def build(records: DataFrame, cut: DataFrame | None) -> DataFrame:
    """One row per record that another file brought before.

    The same: node, log, time, bytes, and its number among such records of its file; so a line that is in a file
    twice stays twice. Of two that are the same the one of the lower load_seq counts, or the one that is whole.
    records: rows of `compared`. cut: rows of `cut_short`, few; None: none is cut short.
    """
    in_file = Window.partitionBy(*SAME, "file_id").orderBy("byte_offset")
    same = Window.partitionBy(*SAME, "occurrence")
    first = F.min(F.struct("is_completed", *RECORD)).over(same)
    return (
        (records.withColumn("is_completed", F.lit(False)) if cut is None else completed(records, cut))
        .withColumn("occurrence", F.row_number().over(in_file))
        .withColumn("first", first)
        .where("first.file_id <> file_id")
        .select("*", *(F.col(f"first.{name}").alias(f"of_{name}") for name in RECORD))
        .select(*SPEC.columns)
    )


def completed(records: DataFrame, cut: DataFrame) -> DataFrame:
    """The same with is_completed: those that are cut short with the bytes of the record that they are cut short of."""
    whole = records.select(
        F.col("file_id").alias("of_file_id"), F.col("byte_offset").alias("of_byte_offset"), F.col("raw").alias("whole")
    )  # fmt: skip
    known = cut.join(whole, on=["of_file_id", "of_byte_offset"]).select("file_id", "byte_offset", "whole")
    return records.join(F.broadcast(known), on=["file_id", "byte_offset"], how="left").withColumns(
        {"is_completed": F.col("whole").isNotNull(), "raw": F.coalesce("whole", "raw")}
    )


def is_cut_of(last: Column, raw: Column, is_inside: Column) -> Column:
    """Whether the last record of a file is cut short of another: its bytes are a beginning of the other's, or those and
    a begun line, which is that of the next record if the other is inside its file."""
    is_begun = F.startswith(raw, last) & ~is_with_begun_line(raw, last)
    return (raw != last) & (is_begun | is_inside & is_with_begun_line(last, raw))


def is_with_begun_line(longer: Column, raw: Column) -> Column:
    line_end = F.lit(b"\n")
    more = F.substring(longer, F.length(raw) + 1, F.length(longer))
    return F.endswith(raw, line_end) & F.startswith(longer, raw) & ~F.contains(more, line_end)


def without(log_record: DataFrame, duplicate_record: DataFrame) -> DataFrame:
    """The records that count."""
    return log_record.join(duplicate_record.select(*RECORD), on=[*RECORD], how="left_anti")
