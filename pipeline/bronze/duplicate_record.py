"""Finds records that another file of the same node and log holds too, and leaves them out."""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from schemas.bronze.duplicate_record import SPEC

SEGMENT = ("cluster_id", "node_id", "file_id", "load_seq")
RECORD = ("load_seq", "file_id", "byte_offset")
SAME = ("cluster_id", "node_id", "log", "logged_at", "raw")


def overlaps(segments: DataFrame, new: DataFrame, *by: str) -> DataFrame:
    """(load_seq, from_at, until_at): the segments that may share records with a new one, and when.

    segments: rows of bronze.source_file or, by log, of spans(). new: those of them that are loaded or derived in this
    run. Both sides of each pair are there.
    """
    is_pair = (
        (F.col("a.cluster_id") == F.col("b.cluster_id"))
        & F.col("a.node_id").eqNullSafe(F.col("b.node_id"))
        & reduce(Column.__and__, (F.col(f"a.{name}") == F.col(f"b.{name}") for name in by), F.lit(True))
        & (F.col("a.file_id") != F.col("b.file_id"))
        & (F.col("a.first_logged_at") <= F.col("b.last_logged_at"))
        & (F.col("a.last_logged_at") >= F.col("b.first_logged_at"))
    )
    span = (*SEGMENT, *by, "first_logged_at", "last_logged_at")
    pairs = segments.select(*span).alias("a").join(F.broadcast(new.select(*span)).alias("b"), is_pair)
    common = (
        F.greatest("a.first_logged_at", "b.first_logged_at").alias("from_at"),
        F.least("a.last_logged_at", "b.last_logged_at").alias("until_at"),
    )
    sides = [pairs.select(F.col(f"{side}.load_seq").alias("load_seq"), *common) for side in ("a", "b")]
    return (
        sides[0]
        .unionByName(sides[1])
        .groupBy("load_seq")
        .agg(F.min("from_at").alias("from_at"), F.max("until_at").alias("until_at"))
    )


def spans(log_record: DataFrame, overlap: DataFrame) -> DataFrame:
    """(SEGMENT, log, first_logged_at, last_logged_at): which logs the segments of `overlap` tell of, and when; the two
    logs of a controller always overlap and share nothing."""
    return (
        log_record.join(F.broadcast(overlap.select("load_seq")), on="load_seq", how="left_semi")
        .groupBy(*SEGMENT, "log")
        .agg(F.min("logged_at").alias("first_logged_at"), F.max("logged_at").alias("last_logged_at"))
    )


def of_whole_files(overlap: DataFrame, segments: DataFrame) -> DataFrame:
    """The same and the other segments of these files that tell of such a time: what a record's number in its file is
    does not depend on how nights cut the file. file_end: where its last record ends; null while one is held back.

    segments: rows of bronze.source_file.
    """
    files = overlap.join(segments.select("load_seq", "file_id"), on="load_seq", how="inner").drop("load_seq")
    end = F.when(~F.col("is_last_held_back"), F.col("consumed_bytes"))
    return (
        segments.join(F.broadcast(files), on="file_id", how="inner")
        .withColumn("file_end", F.max_by(end, "consumed_bytes").over(Window.partitionBy("file_id")))
        .where("first_logged_at <= until_at AND last_logged_at >= from_at")
        .groupBy("load_seq", "file_end")
        .agg(F.min("from_at").alias("from_at"), F.max("until_at").alias("until_at"))
    )


def build(log_record: DataFrame, overlap: DataFrame) -> DataFrame:
    """One row per record of log_record that another file brought before.

    The same: node, log, time, bytes, and its number among such records of its file; so a line that is in a file
    twice stays twice. Of two that are the same the one of the lower load_seq counts, or the one that is whole.
    overlap: rows of `of_whole_files`; nothing else of log_record is compared.
    """
    compared = (
        # Of what is understood the bytes are there, and are not put together to see that.
        log_record.where("(event IS NOT NULL OR raw IS NOT NULL) AND logged_at IS NOT NULL")
        .join(F.broadcast(overlap), on="load_seq", how="inner")
        .where("logged_at BETWEEN from_at AND until_at")
        .withColumn("is_last", F.expr("file_end <=> byte_offset + byte_length"))
        .select(*SAME, *RECORD, "is_last")
        .transform(completed)
    )
    in_file = Window.partitionBy(*SAME, "file_id").orderBy("byte_offset")
    same = Window.partitionBy(*SAME, "occurrence")
    first = F.min(F.struct("is_completed", *RECORD)).over(same)
    return (
        compared.withColumn("occurrence", F.row_number().over(in_file))
        .withColumn("first", first)
        .where("first.file_id <> file_id")
        .select("*", *(F.col(f"first.{name}").alias(f"of_{name}") for name in RECORD))
        .select(*SPEC.columns)
    )


def completed(records: DataFrame) -> DataFrame:
    """The same with is_completed: the last records of files with the bytes of the record that they are cut short of.

    One that is the same as a record inside a file is as it was written. Records inside files are taken first, then the
    longest one.
    """
    at_once = Window.partitionBy(*(name for name in SAME if name != "raw"))
    raw, is_inside = F.col("raw"), ~F.col("is_last")
    asked = F.exists("lasts", lambda last: (last == raw) | is_cut_of(last, raw, is_inside))
    one = F.struct(is_inside.alias("is_inside"), F.length(raw).alias("length"), raw)
    told = F.filter("told", lambda one: is_cut_of(raw, one["raw"], one["is_inside"]))
    is_written = F.exists("told", lambda one: one["is_inside"] & (one["raw"] == raw))
    whole = F.when(~is_inside & ~is_written, F.array_max(told)["raw"])
    return (
        records.withColumn("lasts", F.collect_set(F.when(~is_inside, raw)).over(at_once))
        .withColumn("told", F.collect_set(F.when(asked, one)).over(at_once))
        .withColumn("whole", whole)
        .withColumns({"is_completed": F.col("whole").isNotNull(), "raw": F.coalesce("whole", raw)})
        .drop("lasts", "told", "whole")
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
    return log_record.join(F.broadcast(duplicate_record.select(*RECORD)), on=[*RECORD], how="left_anti")
