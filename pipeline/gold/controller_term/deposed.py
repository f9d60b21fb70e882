"""What a controller still did when the next one was elected, and what others refused of it."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.gold.controller_term.own import place

KEPT = 5
STALE = ("11", "STALE_CONTROLLER_EPOCH")
NAMED = ("cluster_id", "controller_id", "controller_epoch")


def deeds(term: DataFrame, controller_line: DataFrame) -> DataFrame:
    """One row per term that has lines: its last line; of those before it resigned (acts) the last; how many lines and
    acts are later than superseded_at."""
    ends = term.select("cluster_id", "term_id", "superseded_at", "resigning_at", "resigning_line")
    is_late = F.col("logged_at") > F.col("superseded_at")
    return (
        controller_line.join(F.broadcast(ends), on=["cluster_id", "term_id"], how="inner")
        .withColumn("is_act", is_act())
        .groupBy("cluster_id", "term_id")
        .agg(
            F.max("logged_at").alias("last_line_at"),
            F.max_by(place(), F.struct("logged_at", "seq")).alias("last_line"),
            F.max(F.col("log") == "state-change").alias("has_state_changes"),
            F.max(F.when(F.col("is_act"), F.col("logged_at"))).alias("acted_at"),
            F.count_if(is_late).alias("late_count"),
            F.count_if(is_late & F.col("is_act")).alias("acting_count"),
        )
    )


def is_act() -> Column:
    """Logged before it resigns. At equal times controller.log says it before state-change.log does."""
    resigning = F.col("resigning_line")
    is_before = (F.col("file_id") == resigning["file_id"]) & (F.col("byte_offset") < resigning["byte_offset"])
    return F.col("resigning_at").isNull() | (F.col("logged_at") < F.col("resigning_at")) | (
        (F.col("logged_at") == F.col("resigning_at")) & is_before
    )  # fmt: skip


def of_terms(rows: DataFrame, term: DataFrame) -> DataFrame:
    """Rows (r) that name a controller and its epoch, with their term (t) in the life of their time."""
    terms = term.select(*NAMED, "term_id", "began_at", "reused_at", "superseded_at")
    is_its_own = (F.col("r.logged_at") >= F.col("t.began_at")) & (
        F.col("t.reused_at").isNull() | (F.col("r.logged_at") < F.col("t.reused_at"))
    )
    for name in NAMED:
        is_its_own = is_its_own & (F.col(f"r.{name}") == F.col(f"t.{name}"))
    return rows.alias("r").join(F.broadcast(terms).alias("t"), is_its_own, how="inner")


def writes(term: DataFrame, partition_transition: DataFrame) -> DataFrame:
    """One row per term that moved partitions to OnlinePartition after superseded_at: each move writes a leader."""
    moves = partition_transition.where("outcome = 'done' AND to_state = 'OnlinePartition'")
    return (
        of_terms(moves, term)
        .where("r.logged_at > t.superseded_at")
        .groupBy("t.cluster_id", "t.term_id")
        .agg(
            F.count("*").alias("write_count"),
            F.max("r.logged_at").alias("last_write_at"),
            F.array_sort(F.collect_list(F.struct("r.logged_at", place("r.").alias("place")))).alias("each"),
        )
        .withColumn(
            "write_lines",
            F.array_distinct(F.concat(F.slice("each", 1, KEPT - 1), F.slice("each", -1, 1)))["place"],
        )
        .drop("each")
    )


def requests(term: DataFrame, control_request: DataFrame) -> DataFrame:
    """One row per term with requests sent after superseded_at (sent_count; empty_count: those that name no broker), or
    refused for its epoch, as brokers say or as their answers do, whichever are more."""
    step = F.col("step")
    is_stale = (step == "answered") & F.col("error").isin(*STALE)
    of_kind = F.when(step == "sent", F.when(is_to_nobody(), "empty").otherwise("sent")).otherwise(step)
    told = control_request.where(step.isin("sent", "refused") | is_stale).select(
        *NAMED, "logged_at", "file_id", "byte_offset", of_kind.alias("kind")
    )

    def lines(kind: str) -> Column:
        return F.count_distinct(F.when(F.col("r.kind") == kind, place("r.")))

    return (
        of_terms(told, term)
        .where("r.kind IN ('refused', 'answered') OR r.logged_at > t.superseded_at")
        .groupBy("t.cluster_id", "t.term_id")
        .agg(
            lines("sent").alias("sent_count"),
            lines("empty").alias("empty_count"),
            F.greatest(lines("refused"), lines("answered")).alias("refused_count"),
        )
    )


def is_to_nobody() -> Column:
    return F.coalesce((F.size("broker_ids") == 0) & F.col("broker_id").isNull(), F.lit(False))


def with_fate(term: DataFrame) -> DataFrame:
    """The deeds as far as they can be known, what they come to, and since when it could write nothing.

    Moves are printed at TRACE, from 2.6 on at INFO. From 2.1 on (epoch_zk_version) ZooKeeper refuses each write of a
    deposed controller: a success after superseded_at is a matter of clocks there.
    """
    is_known = F.col("is_succeeded") & F.col("last_line_at").isNotNull()
    is_printed = F.col("has_state_changes") & (
        F.col("is_trace_seen") | F.coalesce("is_stated_at_info", F.lit(False))
    )
    is_zookeeper = F.col("mode") == "zookeeper"
    none = F.lit(0).cast("bigint")
    counts = {
        name: F.coalesce(name, none)
        for name in ("sent_count", "empty_count", "refused_count", "fenced_count")
    }
    acts = F.greatest(F.col("acting_count") - F.col("empty_count"), none)
    return (
        term.withColumns(counts)
        .withColumn("last_act_at", F.coalesce("acted_at", "last_line_at", "last_seen_at"))
        .withColumn("ready_ms", F.unix_millis("ready_at") - F.unix_millis("elected_at"))
        .withColumn("acts_after_count", F.when(is_known, acts))
        .withColumn(
            "writes_after_count",
            F.when(is_known & is_printed & is_zookeeper, F.coalesce("write_count", none)),
        )
        .withColumn("overlap", F.when(is_known & (F.col("late_count") > 0), overlap()))
        .withColumn("fenced_from_at", F.col("fenced_at"))
        .withColumn(
            "fenced_until_at",
            F.when(F.col("fenced_at").isNotNull(), F.coalesce("ended_at", "superseded_at")),
        )
    )


def overlap() -> Column:
    writes_count = F.col("writes_after_count")
    is_fenced_release = F.col("epoch_zk_version").isNotNull()
    is_kraft = F.col("mode") == "kraft"
    return (
        F.when(is_kraft & F.col("resigning_at").isNull(), F.lit(None))
        .when(F.col("acts_after_count") == 0, "resignation_tail")
        .when(is_kraft, "zombie_harmless")
        .when((writes_count > 0) & ~is_fenced_release, "zombie_wrote")
        .when((writes_count > 0) | writes_count.isNull(), F.lit(None))
        .when((F.col("sent_count") > 0) | (F.col("refused_count") > 0), "zombie_talked")
        .otherwise("zombie_harmless")
    )
