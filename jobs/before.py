"""What the tables that are built from a cut on have to know of the time before it."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.reassigning import PARTITION, steps
from pipeline.store.rows import collect_one
from schemas.gold.leader_imbalance import CREATION_UNSEEN

PLACE = ("file_id", "byte_offset")


def reaching(column: str, cut: datetime) -> Column:
    """Whether a time is not before the cut; what has no end reaches it."""
    return (F.col(column) >= F.lit(cut)) | F.col(column).isNull()


def summary_before(replay_summary: DataFrame, controller_line: DataFrame, cut: datetime | None) -> DataFrame:
    """The days before the cut of the terms that go on then; nothing where there is no cut, here and below."""
    if cut is None:
        return replay_summary.limit(0)
    terms = controller_line.where(reaching("ordered_at", cut)).select("cluster_id", "term_id").distinct()
    earlier = replay_summary.where(F.col("day_at") < F.lit(cut))
    return earlier.join(F.broadcast(terms), on=["cluster_id", "term_id"], how="left_semi")


def deletion_before(topic_event: DataFrame, controller_line: DataFrame, cut: datetime | None) -> DataFrame:
    """(cluster_id, topic, deletions): how many deletions of each topic were completed before the cut."""
    done = topic_event.where("step = 'deletion_completed'")
    if cut is None:
        done = done.limit(0)
    else:
        later = controller_line.where(reaching("ordered_at", cut)).select(*PLACE)
        done = done.where(F.col("logged_at") < F.lit(cut)).join(later, on=[*PLACE], how="left_anti")
    return done.groupBy("cluster_id", "topic").agg(F.count("*").alias("deletions"))


def reaching_rows(rows: DataFrame, from_column: str, until_column: str, cut: datetime | None) -> DataFrame:
    """Rows that begin before the cut and reach it."""
    if cut is None:
        return rows.limit(0)
    return rows.where((F.col(from_column) < F.lit(cut)) & reaching(until_column, cut))


def sessions_before(sessions: DataFrame, cut: datetime | None) -> DataFrame:
    """Rows of gold.broker_session that begin before the cut: those that reach it, and the last one of each broker."""
    own = ("cluster_id", "broker_id")
    earlier = sessions.where(F.col("joined_at") < F.lit(cut)) if cut else sessions.limit(0)
    last = F.max_by(F.struct(*sessions.columns), "joined_at").alias("last")
    reaching_it = reaching_rows(sessions, "joined_at", "left_at", cut)
    return earlier.groupBy(*own).agg(last).select("last.*").unionByName(reaching_it).distinct()


def first_begin(rows: DataFrame, from_column: str, until_column: str, cut: datetime) -> datetime:
    """The earliest begin of rows that reach the cut; the cut where none does or all begin later."""
    before = reaching_rows(rows, from_column, until_column, cut)
    found = collect_one(before.agg(F.min(from_column).alias("at")))["at"]
    return cut if found is None else found.astimezone(UTC)


def imbalance_before(rows: DataFrame, cut: datetime | None) -> DataFrame:
    """Rows of gold.leader_imbalance that begin before the cut and reach it, and of those that ended before one that
    tells of a partition whose creation was not seen."""
    if cut is None:
        return rows.limit(0)
    ended = rows.where((F.col("valid_until_at") < F.lit(cut)) & (F.col("reason") == CREATION_UNSEEN))
    return reaching_rows(rows, "valid_from_at", "valid_until_at", cut).unionByName(ended.limit(1))


def reassignment_before(reassignment_event: DataFrame, cut: datetime | None) -> DataFrame:
    """Rows of silver.reassignment_event: the last before the cut of each partition that begins or ends one."""
    if cut is None:
        return reassignment_event.limit(0)
    before = reassignment_event.transform(steps).where(F.col("logged_at") < F.lit(cut))
    place = F.struct("logged_at", "file_id", "byte_offset")
    last = F.max_by(F.struct(*reassignment_event.columns), place).alias("last")
    return before.groupBy(*PARTITION).agg(last).select("last.*")


def timeline_before(intervals: DataFrame, said: Iterable[DataFrame], cut: datetime | None) -> DataFrame:
    """Rows of gold.partition_timeline that begin before the cut: those open then, and all of the topics of `said`,
    in which something is said afterwards, and of the partitions that are open in KRaft by an inference."""
    if cut is None:
        return intervals.limit(0)
    topics = reduce(DataFrame.unionByName, (one.select("cluster_id", "topic") for one in said)).distinct()
    earlier = intervals.where(F.col("valid_from_at") < F.lit(cut))
    named = F.broadcast(topics.withColumn("is_named", F.lit(True)))
    told = earlier.join(named, on=["cluster_id", "topic"], how="left")
    own = ("cluster_id", "topic_id", "partition")
    inferred = earlier.where("topic_id IS NOT NULL AND partition_epoch IS NULL")
    open_ones = inferred.where(reaching("valid_until_at", cut)).select(*own).distinct()
    both = told.join(F.broadcast(open_ones.withColumn("is_inferred", F.lit(True))), on=[*own], how="left")
    kept = reaching("valid_until_at", cut) | F.col("is_named") | F.col("is_inferred")
    return both.where(kept).drop("is_named", "is_inferred")
