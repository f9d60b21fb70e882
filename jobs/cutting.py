"""Where a run begins to build anew: nothing before the cut can differ from what is stored."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from pipeline.kafka.acting import about_partitions, about_requests, by_controllers
from pipeline.kafka.causing import LISTED
from pipeline.silver.controller_line import in_files, marks, with_file_begin
from pipeline.store.rows import collect_one, collect_rows, in_utc
from schemas.silver import controller_line

# Columns of a term that decide which lines belong to it and when it begins.
IDENTITY = (
    "term_id",
    "mode",
    "controller_id",
    "controller_epoch",
    "elected_at",
    "first_seen_at",
    "file_id",
    "byte_offset",
)
LOGS = ("controller", "state-change")  # of which a file of several loggers may have both
NEAR = timedelta(days=2)
BEFORE = StructType([*controller_line.SPEC.struct.fields, StructField("listed", StringType())])


@dataclass(frozen=True)
class Cut:
    """Lines whose running maximum of time is before `at` stay as they are; None: all are built anew.

    has_lines: whether anything is new at all; if not, `at` is the end of the data, up to which goes on what is open.
    day_at: begin of the first day that is to be judged anew.
    terms_at: begin of the first day of the terms that check ratios or elect from the day before that on.
    """

    at: datetime | None = None
    has_lines: bool = True
    day_at: datetime | None = None
    terms_at: datetime | None = None


def find_cut(new_records: DataFrame, segments: DataFrame, terms: DataFrame, terms_before: DataFrame) -> Cut:
    """The earliest of the lines that are new, of controllers, about partitions or requests, of those that stand behind
    new ones or were taken out, and of the terms that are other than before.

    A line's running maximum is not below its own time, so the earliest new line changes nothing before it but lines
    behind it: of clocks set back, or some milliseconds out of order where a log was rolled.
    To the millisecond, which is what the order of lines is told by.
    """
    told = (about(new_records) for about in (by_controllers, about_partitions, about_requests))
    earliest = (each.agg(F.min("logged_at").alias("at")) for each in told)
    began = F.least("elected_at", "first_seen_at").alias("at")
    now, before = (some.select(*IDENTITY) for some in (terms, terms_before))
    other = (
        now.exceptAll(before).unionByName(before.exceptAll(now)).select(began).agg(F.min("at").alias("at"))
    )
    each = reduce(DataFrame.unionByName, earliest, other).unionByName(overtaken(segments))
    found = collect_one(each.agg(F.min("at").alias("at")))["at"]
    if found is None:
        return Cut(has_lines=False)
    at = found.astimezone(UTC)
    return Cut(at.replace(microsecond=at.microsecond // 1000 * 1000))


def overtaken(segments: DataFrame) -> DataFrame:
    """(at): the earliest time of segments that are gone, that stand behind a new one or one that is gone, or whose
    file has come to another place among those of its node and log.

    segments: of bronze.source_file, with status: old, new, or gone as others replace them.
    """
    logs = F.when(F.col("log") == "mixed", F.array(*map(F.lit, LOGS))).otherwise(F.array("log"))
    own = segments.transform(with_file_begin, segments).withColumn("log", F.explode(logs))
    order = Window.partitionBy("cluster_id", "node_id", "log").orderBy(
        "file_from_at", "file_id", "start_offset"
    )
    is_behind = F.bool_or(F.col("status") != "old").over(order.rowsBetween(Window.unboundedPreceding, -1))
    from_before = F.min(F.when(F.col("status") != "new", F.col("first_logged_at")))
    is_moved = F.col("file_from_at") < from_before.over(Window.partitionBy("log", "file_id"))
    begin = F.when(F.col("is_moved"), F.col("file_from_at")).otherwise(F.col("first_logged_at"))
    return (
        own.where(F.col("log").isin(*LOGS))
        .withColumns({"is_behind": is_behind, "is_moved": is_moved})
        .where("status = 'gone' OR status = 'old' AND (is_behind OR is_moved)")
        .agg(F.min(begin).alias("at"))
    )


def end_of(source_file: DataFrame) -> datetime | None:
    """The time of the last line of all."""
    last = collect_one(source_file.agg(F.max("last_logged_at").alias("at")))["at"]
    return None if last is None else last.astimezone(UTC)


def segments_at(source_file: DataFrame, cut: datetime) -> DataFrame:
    """(load_seq) of the segments that may hold lines whose running maximum reaches the cut.

    The maximum runs over the files of a node in order of their first line: after a file that reaches the cut all do.
    """
    order = Window.partitionBy("cluster_id", "node_id").orderBy("file_from_at", "file_id", "start_offset")
    until_now = order.rowsBetween(Window.unboundedPreceding, 0)
    reached = F.max("last_logged_at").over(until_now)
    return (
        source_file.transform(with_file_begin, source_file)
        .withColumn("reached", reached)
        .where(F.col("reached") >= F.lit(cut))
        .select("load_seq")
    )


def lines_before(
    lines: DataFrame,
    terms: DataFrame,
    controller_event: DataFrame,
    log_record: DataFrame,
    source_file: DataFrame,
    *,
    cut: datetime,
) -> list[dict[str, Any]]:
    """Per term that goes on at the cut its last row of silver.controller_line before it, with the text listed.

    Looked for in the days before the cut, and in all that is stored only for a term that was silent for so long.
    """
    began = F.coalesce("elected_at", "first_seen_at")
    known = terms.where(began < F.lit(cut))
    named = known.where(F.col("last_seen_at") >= F.lit(cut)).select("term_id")
    stored = lines.where(F.col("ordered_at") >= F.lit(cut)).select("term_id")
    offices = offices_at(marks(controller_event, terms), source_file, cut)
    going_on = named.unionByName(
        stored.unionByName(offices).join(F.broadcast(known), on="term_id", how="left_semi")
    )
    names = {row["term_id"] for row in collect_rows(going_on.distinct())}
    found: list[dict[str, Any]] = []
    for since in (F.col("ordered_at") >= F.lit(cut - NEAR), F.lit(True)):
        wanted = sorted(names - {row["term_id"] for row in found})
        if wanted:
            before = lines.where((F.col("ordered_at") < F.lit(cut)) & since & F.col("term_id").isin(wanted))
            row = F.max_by(F.struct(*controller_line.SPEC.columns), "seq").alias("row")
            last_rows = collect_rows(before.groupBy("cluster_id", "term_id").agg(row).select("row.*"))
            found += map(in_utc, last_rows)
    return [one | {"listed": listed(one, lines, log_record)} for one in found]


def offices_at(marks: DataFrame, source_file: DataFrame, cut: datetime) -> DataFrame:
    """(term_id): whose lines that name no epoch may be from the cut on: of each node the office that its last segment
    before those that reach the cut left it in, and all that these take it into by then."""
    reaching = segments_at(source_file, cut).withColumn("is_reaching", F.lit(True))
    placed = marks.transform(with_file_begin, source_file).join(
        F.broadcast(reaching), on="load_seq", how="left"
    )
    last = F.max_by("mark", F.struct(*in_files())).alias("term_id")
    node = F.coalesce("node_id", "controller_id")
    left_in = placed.where("is_reaching IS NULL").groupBy("cluster_id", node).agg(last).select("term_id")
    taken = placed.where(F.col("is_reaching") & (F.col("logged_at") < F.lit(cut)))
    return left_in.unionByName(taken.select(F.col("mark").alias("term_id"))).where("term_id <> ''")


def listed(line: dict[str, Any], lines: DataFrame, log_record: DataFrame) -> str | None:
    """The text of the listing that a line's listed_seq names."""
    if line["listed_seq"] is None:
        return None
    key = ("file_id", "load_seq", "byte_offset")
    place = lines.where((F.col("term_id") == line["term_id"]) & (F.col("seq") == line["listed_seq"]))
    text = F.col("fields")[LISTED].alias("listed")
    found = collect_rows(log_record.join(F.broadcast(place.select(*key)), on=[*key]).select(text))
    return found[0]["listed"] if found else None
