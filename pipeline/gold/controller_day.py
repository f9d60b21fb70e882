"""What each day of a term adds to the verdict on it: of a term of the past no line is read again."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.core.days import day_of
from pipeline.kafka.tenures import LIVE, of_terms, outermost, place, resignations, with_succession
from schemas.gold.controller_day import SPEC

DAY = ("cluster_id", "term_id", "day_at")
STALE = ("11", "STALE_CONTROLLER_EPOCH")
COUNTS = tuple(name for name in SPEC.columns if name.endswith("_count"))


def build(
    term: DataFrame,
    controller_line: DataFrame,
    controller_event: DataFrame,
    broker_event: DataFrame,
    partition_transition: DataFrame,
    control_request: DataFrame,
) -> DataFrame:
    """One row per term and day. Lines are of the day of their order (ordered_at), requests and moves of their own time.

    Source: KafkaController, ControllerChannelManager, 0.8.2 to 3.9; QuorumController, from 2.8.
    """
    begun = term.transform(with_succession)
    told = (
        deeds(begun, controller_line, controller_event),
        found_alive(controller_line, broker_event),
        writes(begun, partition_transition),
        requests(begun, control_request),
    )
    every = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), told)
    facts = [name for name in every.columns if name not in DAY]
    none = F.lit(0).cast("bigint")
    return (
        every.groupBy(*DAY)
        .agg(*(F.first(name, ignorenulls=True).alias(name) for name in facts))
        .withColumns({name: F.coalesce(name, none) for name in COUNTS})
        .withColumn("has_state_changes", F.coalesce("has_state_changes", F.lit(False)))
        .select(*SPEC.columns)
    )


def deeds(term: DataFrame, controller_line: DataFrame, controller_event: DataFrame) -> DataFrame:
    """Days with lines: the last line; of those before it resigned (acts) the last; how many lines and acts are later
    than superseded_at."""
    own = ["cluster_id", "term_id"]
    ends = term.select(*own, "superseded_at").join(resignations(term, controller_event), on=own, how="left")
    is_late = F.col("logged_at") > F.col("superseded_at")
    last = F.struct("logged_at", "seq", "file_id", "byte_offset")
    return (
        controller_line.withColumn("day_at", day_of("ordered_at"))
        .join(F.broadcast(ends), on=own, how="inner")
        .withColumn("is_act", is_act())
        .groupBy(*DAY)
        .agg(
            F.max(last).alias("last"),
            F.max(F.col("log") == "state-change").alias("has_state_changes"),
            F.max(F.when(F.col("is_act"), F.col("logged_at"))).alias("acted_at"),
            F.count_if(is_late).alias("late_count"),
            F.count_if(is_late & F.col("is_act")).alias("late_act_count"),
        )
        .withColumns({"last_line_at": F.col("last.logged_at"), "last_seq": F.col("last.seq")})
        .withColumns({name: F.col(f"last.{name}") for name in ("file_id", "byte_offset")})
        .drop("last")
    )


def is_act() -> Column:
    """Logged before it resigns. At equal times controller.log says it before state-change.log does."""
    resigning = F.col("resigning_line")
    is_before = (F.col("file_id") == resigning["file_id"]) & (F.col("byte_offset") < resigning["byte_offset"])
    return F.col("resigning_at").isNull() | (F.col("logged_at") < F.col("resigning_at")) | (
        (F.col("logged_at") == F.col("resigning_at")) & is_before
    )  # fmt: skip


def found_alive(controller_line: DataFrame, broker_event: DataFrame) -> DataFrame:
    """Days on which it lists the live brokers: those that it names."""
    lines = controller_line.where(F.col("event") == LIVE).withColumn("day_at", day_of("ordered_at"))
    named = broker_event.where((F.col("event") == LIVE) & F.col("broker_id").isNotNull())
    return (
        named.select("file_id", "byte_offset", "broker_id")
        .join(lines.select(*DAY, "file_id", "byte_offset"), on=["file_id", "byte_offset"], how="inner")
        .groupBy(*DAY)
        .agg(F.array_sort(F.collect_set("broker_id")).alias("live_brokers"))
    )


def writes(term: DataFrame, partition_transition: DataFrame) -> DataFrame:
    """Days on which it moved partitions to OnlinePartition after superseded_at: each move writes a leader."""
    moves = partition_transition.where("outcome = 'done' AND to_state = 'OnlinePartition'")
    each = F.array_sort(F.collect_list(F.struct("r.logged_at", place("r.").alias("place"))))
    return (
        of_terms(moves, term)
        .where("r.logged_at > t.superseded_at")
        .groupBy("t.cluster_id", "t.term_id", day_of("r.logged_at").alias("day_at"))
        .agg(
            F.count("*").alias("write_count"),
            F.max("r.logged_at").alias("last_write_at"),
            outermost(each["place"]).alias("write_lines"),
        )
    )


def requests(term: DataFrame, control_request: DataFrame) -> DataFrame:
    """Days with requests sent after superseded_at, or refused for its epoch, as brokers say or as their answers do."""
    step = F.col("step")
    is_stale = (step == "answered") & F.col("error").isin(*STALE)
    of_kind = F.when(step == "sent", F.when(is_to_nobody(), "empty").otherwise("sent")).otherwise(step)
    told = control_request.where(step.isin("sent", "refused") | is_stale).select(
        "cluster_id", "controller_id", "controller_epoch", "logged_at", "file_id", "byte_offset",
        of_kind.alias("kind"),
    )  # fmt: skip

    def lines(kind: str) -> Column:
        return F.count_distinct(F.when(F.col("r.kind") == kind, place("r.")))

    return (
        of_terms(told, term)
        .where("r.kind IN ('refused', 'answered') OR r.logged_at > t.superseded_at")
        .groupBy("t.cluster_id", "t.term_id", day_of("r.logged_at").alias("day_at"))
        .agg(
            lines("sent").alias("sent_count"),
            lines("empty").alias("empty_count"),
            lines("refused").alias("refused_count"),
            lines("answered").alias("stale_count"),
        )
    )


def is_to_nobody() -> Column:
    return F.coalesce((F.size("broker_ids") == 0) & F.col("broker_id").isNull(), F.lit(False))
