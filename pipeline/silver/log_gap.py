"""Gaps of the logs, from what was seen of files, wordings and terms."""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.core.days import hour_of
from pipeline.core.file_loss import absent_numbers, lost_after_reading, newest
from pipeline.core.intervals import overdue, places, unaccompanied, untouched
from pipeline.kafka.wording import table
from schemas.bronze.file_sighting import PROBLEMS
from schemas.silver.log_gap import SPEC

OWN_LOGS = ("controller", "state-change")
DAMAGED = ("cut", "bad_bytes", "too_long", "no_envelope")
BACK_SECONDS = 60
# A periodic line is missed once it is this late: three of its periods and a minute.
LATE_PERIODS, LATE_SECONDS = 3, 60
# The two logs of a controller are of one time: a line of the other counts so many seconds before and after.
NEAR_SECONDS = 600
ACTING = r"^(?:\[Controller id=\{controller_id\}|Controller \{controller_id\} epoch)"
# KRaft has an event of that name, of nodes that need not be brokers.
CREATES = "event = 'partition_created' AND logger LIKE 'kafka.controller.%'"
NUMBERED = r"^(.*\.log)\.(\d{1,3})(?:\.gz|\.zst)?$"
NODE = ("cluster_id", "node_id")


def build(
    wording_seen: DataFrame, source_file: DataFrame, file_sighting: DataFrame, term: DataFrame
) -> DataFrame:
    """One row per gap; none where the logs tell of none. Reads no log line: all inputs are small.

    proved: lines are missing or cannot be read. inferred: lines are missing unless something else explains it,
    which the sentence names. Silence of a log that writes nothing of its own accord is no gap.
    """
    read = source_file.groupBy(*NODE, "file_id").agg(
        F.max("consumed_bytes").alias("consumed_bytes"), F.max("path").alias("path")
    )
    found = (
        damaged(wording_seen, read),
        back_in_time(wording_seen),
        silent(wording_seen),
        *missing_logs(wording_seen),
        missing_terms(term),
        missing_elections(term),
        not_read(file_sighting),
        missing_indexes(file_sighting),
        replaced(file_sighting, source_file),
    )
    return reduce(DataFrame.unionByName, found)


def gap(rows: DataFrame, kind: str | Column, certainty: str, sentence: str, *words: str) -> DataFrame:
    """Rows as gaps; columns of SPEC that they have not are null. sentence: printf format of `words`."""
    given = {
        "kind": F.lit(kind) if isinstance(kind, str) else kind,
        "certainty": F.lit(certainty),
        "sentence": F.format_string(sentence, *words),
    }
    rows = rows.withColumns(given)
    absent = {f.name: F.lit(None).cast(f.dataType) for f in SPEC.struct.fields if f.name not in rows.columns}
    if "evidence" in absent:
        absent["evidence"] = F.array().cast("array<struct<file_id: string, byte_offset: bigint>>")
    return rows.withColumns(absent).select(*SPEC.columns)


def damaged(seen: DataFrame, read: DataFrame) -> DataFrame:
    """Per file, hour and reason; the beginning and the end of a file by themselves."""
    reason = F.col("not_understood_reason")
    is_first = (F.col("first_offset") == 0) & (reason == "no_envelope")
    is_last = (
        (F.col("end_offset") == F.col("consumed_bytes")) & (reason == "cut") & (F.col("record_count") == 1)
    )
    kind = (
        F.when(is_first, "begins_inside_record")
        .when(is_last, "ends_inside_record")
        .when(reason == "cut", "cut_records")
        .otherwise("unreadable_records")
    )
    rows = (
        seen.where(reason.isin(*DAMAGED) & F.col("log").isin(*OWN_LOGS))
        .groupBy(*NODE, "log", "file_id", "seen_at", "not_understood_reason")
        .agg(
            F.sum("record_count").alias("record_count"),
            F.min("first_at").alias("from_at"),
            F.max("last_at").alias("until_at"),
            F.min("first_offset").alias("first_offset"),
            F.max("end_offset").alias("end_offset"),
        )
        .join(F.broadcast(read.select("file_id", "consumed_bytes")), on="file_id", how="left")
        .withColumn("evidence", F.array(F.struct("file_id", F.col("first_offset").alias("byte_offset"))))
    )
    return gap(
        rows,
        kind,
        "proved",
        "%d records from byte %d on: %s",
        "record_count",
        "first_offset",
        "not_understood_reason",
    )


def back_in_time(seen: DataFrame) -> DataFrame:
    """Per file the hours of which a line stands behind lines of later hours; small disorder of threads is usual."""
    hours = (
        seen.where(F.col("first_at").isNotNull() & F.col("log").isin(*OWN_LOGS))
        .groupBy(*NODE, "log", "file_id", hour_of("seen_at").alias("hour_at"))
        .agg(
            F.min(F.struct(F.col("first_offset").alias("byte_offset"), "first_at", "file_id")).alias("first"),
            F.max(F.struct(F.col("last_offset").alias("byte_offset"), "file_id")).alias("behind"),
            F.max("last_at").alias("until_at"),
        )
    )
    later = (
        Window.partitionBy("cluster_id", "file_id")
        .orderBy("hour_at")
        .rowsBetween(1, Window.unboundedFollowing)
    )
    back = F.unix_timestamp("before.first_at") - F.unix_timestamp("until_at")
    rows = (
        hours.withColumn("before", F.min("first").over(later))
        .withColumns({"back_seconds": back, "from_at": F.col("before.first_at")})
        .where((F.col("before.byte_offset") < F.col("behind.byte_offset")) & (back >= BACK_SECONDS))
        .withColumn("evidence", places("before", "behind"))
    )
    sentence = "time goes back by %d s or more: a clock was set, or files were put together out of order"
    return gap(rows, "time_goes_back", "inferred", sentence, "back_seconds")


def silent(seen: DataFrame) -> DataFrame:
    """A node that started, was elected or left office meanwhile is left out: its periodic lines begin or end then."""
    periodic = [row["event"] for row in table("periodic_lines.tsv")]
    office = [row["event"] for row in table("office_lines.tsv")]
    offices = seen.where(F.col("is_start") | F.coalesce(F.col("event").isin(*office), F.lit(False)))
    lines = seen.where(F.col("event").isin(*periodic) & F.col("node_id").isNotNull())
    rows = (
        overdue(lines, (*NODE, "log", "event"), LATE_PERIODS, LATE_SECONDS)
        .transform(untouched, offices.select(*NODE, "first_at", "last_at"), NODE)
        .withColumns({"evidence": places("before", "after"), "file_id": F.col("after.file_id")})
    )
    sentence = (
        "%s is written every %.0f s, and for %.0f s it was not: lines are missing, or the process stood still"
    )
    return gap(rows, "silence", "inferred", sentence, "event", "period", "missing")


def missing_logs(seen: DataFrame) -> tuple[DataFrame, ...]:
    """Acts of a controller that one of its logs tells of, in hours in which the other has no line."""
    known = seen.where("node_id IS NOT NULL")
    controller, state_change = known.where("log = 'controller'"), known.where("log = 'state-change'")
    acts = unaccompanied(state_change.where(F.col("template").rlike(ACTING)), controller, NODE, NEAR_SECONDS)
    created = unaccompanied(controller.where(CREATES), state_change, NODE, NEAR_SECONDS)
    return (
        gap(
            acts.withColumns({"log": F.lit("controller"), "evidence": places("first")}).drop("record_count"),
            "controller_log_missing",
            "inferred",
            "a controller acts in state-change.log, and no line of its controller.log is near",
        ),
        gap(
            created.withColumns({"log": F.lit("state-change"), "evidence": places("first")}).drop(
                "record_count"
            ),
            "state_change_log_missing",
            "inferred",
            "partitions are created in controller.log, and no line of state-change.log is near",
        ),
    )


def missing_terms(term: DataFrame) -> DataFrame:
    """Epochs left out between two of one life: each election of a ZooKeeper controller adds one. Not so in KRaft."""
    order = Window.partitionBy("cluster_id", "life").orderBy("controller_epoch")
    line = F.struct("file_id", "byte_offset")
    rows = (
        term.where("mode = 'zookeeper'")
        .withColumn("line", line)
        .withColumn("before", F.lag(F.struct("controller_epoch", "first_seen_at", "last_seen_at", "line")).over(order))
        .withColumn("first_epoch", F.expr("before.controller_epoch + 1"))
        .withColumn("last_epoch", F.expr("controller_epoch - 1"))
        .where("first_epoch <= last_epoch AND before.first_seen_at <= first_seen_at")
        .select(
            "cluster_id", "first_epoch", "last_epoch", F.least("before.last_seen_at", "first_seen_at").alias("from_at"),
            F.col("first_seen_at").alias("until_at"), F.array("before.line", "line").alias("evidence"),
        )
    )  # fmt: skip
    sentence = "no line of the controller with epoch %d to %d"
    return gap(rows, "term_missing", "proved", sentence, "first_epoch", "last_epoch")


def missing_elections(term: DataFrame) -> DataFrame:
    """Not of KRaft controllers, which in a migration claim an epoch of ZooKeeper's without a line."""
    claimants = term.where("mode = 'kraft'").select("cluster_id", "controller_id")
    order = Window.partitionBy("cluster_id").orderBy("first_seen_at", "life", "controller_epoch")
    numbered = term.withColumn("is_first", F.row_number().over(order) == 1)
    unelected = numbered.where("mode = 'zookeeper' AND elected_at IS NULL")
    rows = unelected.join(claimants, on=["cluster_id", "controller_id"], how="left_anti").select(
        "cluster_id", "controller_epoch", F.col("controller_id").alias("node_id"), F.lit("controller").alias("log"),
        F.col("first_seen_at").alias("until_at"), F.array(F.struct("file_id", "byte_offset")).alias("evidence"),
        "is_first",
    )  # fmt: skip
    kind = F.when(F.col("is_first"), "begins_inside_term").otherwise("election_missing")
    sentence = "epoch %d is named, its election is not: controller.log of then is missing"
    return gap(rows, kind, "proved", sentence, "controller_epoch")


def not_read(sightings: DataFrame) -> DataFrame:
    rows = newest(sightings).where(F.col("state").isin(*PROBLEMS)).drop("file_id")
    rows = rows.withColumn("said", F.coalesce("sentence", "state"))
    return gap(rows, "not_read", "proved", "not read: %s", "said")


def missing_indexes(sightings: DataFrame) -> DataFrame:
    """controller.log.1 and .3 without a .2: rotation by size counts upwards, so each number was there once."""
    rows = absent_numbers(sightings.where(~F.col("state").isin("not_kafka", "not_asked")), NUMBERED)
    return gap(
        rows,
        "index_missing",
        "inferred",
        "of the files numbered by rotation these were never seen: %s",
        "absent",
    )


def replaced(sightings: DataFrame, source_file: DataFrame) -> DataFrame:
    """Rotation by renaming keeps what was written last; truncation (copytruncate) and deletion may not."""
    files = source_file.groupBy(*NODE, "log", "file_id").agg(
        F.min("first_logged_at").alias("begins_at"), F.max("last_logged_at").alias("ends_at")
    )
    log = F.when(F.col("log") != "mixed", F.col("log")).alias("log")
    before = files.select(*NODE, log, F.col("file_id").alias("before_id"), F.col("ends_at").alias("from_at"))
    after = files.select("cluster_id", "file_id", F.col("begins_at").alias("until_at"))
    rows = (
        lost_after_reading(sightings)
        .join(F.broadcast(before), on=["cluster_id", "before_id"], how="inner")
        .join(F.broadcast(after), on=["cluster_id", "file_id"], how="left")
    )
    sentence = "file %s stood here and was not seen again: what was written to it last may be lost"
    return gap(rows, "replaced", "inferred", sentence, "before_id")
