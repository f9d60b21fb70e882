"""Which logs of a node were seen when, at which level and with which gaps, and what they can answer."""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.core.days import hour_of
from pipeline.kafka.releases import names as release_names
from pipeline.kafka.wording import table
from schemas.gold.evidence import SPEC

NODE = ("cluster_id", "node_id")
HOUR = (*NODE, "hour_at")
LEVELS = ("INFO", "TRACE")  # the least verbose first
SAME = ("logs", "state_change_level", "mode", "is_controller", "gaps", "is_from_2_6")
LONGEST_GAP_HOURS = 24 * 366


def build(wording_seen: DataFrame, log_gap: DataFrame, term: DataFrame, release_span: DataFrame) -> DataFrame:
    """Rows: hours that show the same are one interval; intervals of a node follow one another without a hole.

    A quiet hour belongs to the interval before it; hours of a known gap stand by themselves, with the logs that have
    lines in them. Levels are what the lines show: an hour without lines of state-change.log has the level before it.
    """
    seen = wording_seen.where("node_id IS NOT NULL AND first_at IS NOT NULL")
    hours = (
        seen.groupBy(*NODE, hour_of("first_at").alias("hour_at"))
        .agg(
            F.min("first_at").alias("from_at"),
            F.max("last_at").alias("until_at"),
            F.collect_set("log").alias("logs"),
            F.max(level_rank()).alias("level_rank"),
        )
        .unionByName(gap_hours(log_gap), allowMissingColumns=True)
        .groupBy(*HOUR)
        .agg(
            F.min("from_at").alias("from_at"),
            F.max("until_at").alias("until_at"),
            F.array_sort(F.array_distinct(F.flatten(F.collect_list("logs")))).alias("logs"),
            F.max("level_rank").alias("level_rank"),
            F.array_sort(F.array_distinct(F.flatten(F.collect_list("gap_kinds")))).alias("gaps"),
        )
    )
    known = hours.transform(with_level).transform(with_term, term).transform(with_release, release_span)
    return known.transform(intervals).transform(with_answers).select(*SPEC.columns)


def level_rank() -> Column:
    is_own = F.col("log") == "state-change"
    return F.when(is_own & (F.col("level") == "TRACE"), 1).when(is_own, 0)


def gap_hours(log_gap: DataFrame) -> DataFrame:
    """The hours that a gap of a node touches, each with its part of the gap; of one without times there are none."""
    times = log_gap.where("node_id IS NOT NULL").select(
        *NODE,
        F.coalesce("from_at", "until_at").alias("begin_at"),
        F.coalesce("until_at", "from_at").alias("end_at"),
        F.array("kind").alias("gap_kinds"),
    )
    last = F.least(F.col("end_at"), F.col("begin_at") + F.make_dt_interval(hours=F.lit(LONGEST_GAP_HOURS)))
    step = F.make_dt_interval(hours=F.lit(1))
    hours = F.sequence(hour_of("begin_at"), hour_of(last), step)
    return (
        times.where("begin_at <= end_at")
        .withColumn("hour_at", F.explode(hours))
        .select(
            *HOUR,
            F.greatest("begin_at", "hour_at").alias("from_at"),
            F.least(F.col("end_at"), F.col("hour_at") + step).alias("until_at"),
            "gap_kinds",
        )
    )


def with_level(hours: DataFrame) -> DataFrame:
    until_now = Window.partitionBy(*NODE).orderBy("hour_at").rowsBetween(Window.unboundedPreceding, 0)
    rank = F.last("level_rank", ignorenulls=True).over(until_now)
    return hours.withColumn("state_change_level", F.get(F.lit(list(LEVELS)), rank))


def with_term(hours: DataFrame, term: DataFrame) -> DataFrame:
    """mode and is_controller, by the terms of the node that touch the hour."""
    touches = (
        (F.col("h.cluster_id") == F.col("t.cluster_id"))
        & (F.col("h.node_id") == F.col("t.controller_id"))
        & (F.col("t.first_seen_at") <= F.col("h.until_at"))
        & (F.col("t.last_seen_at") >= F.col("h.from_at"))
    )
    return (
        hours.alias("h")
        .join(F.broadcast(term).alias("t"), touches, how="left")
        .groupBy(*(f"h.{name}" for name in hours.columns))
        .agg(F.max("t.mode").alias("mode"))
        .withColumn("is_controller", F.col("mode").isNotNull())
    )


def with_release(hours: DataFrame, release_span: DataFrame) -> DataFrame:
    """is_from_2_6: every release that the node may have run then has moves of partitions at INFO (KAFKA-8470)."""
    modern = [one for one in release_names() if tuple(map(int, one.split("."))) >= (2, 6)]
    is_modern = F.forall("s.releases", lambda one: one.isin(*modern))
    touches = (
        (F.col("h.cluster_id") == F.col("s.cluster_id"))
        & (F.col("h.node_id") == F.col("s.node_id"))
        & (F.col("s.valid_from_at") <= F.col("h.until_at"))
        & (F.col("s.valid_until_at") > F.col("h.from_at"))
    )
    return (
        hours.alias("h")
        .join(F.broadcast(release_span).alias("s"), touches, how="left")
        .groupBy(*(f"h.{name}" for name in hours.columns))
        .agg(F.coalesce(F.bool_and(is_modern), F.lit(False)).alias("is_from_2_6"))
    )


def intervals(hours: DataFrame) -> DataFrame:
    order = Window.partitionBy(*NODE).orderBy("hour_at")
    is_other = F.lag(F.struct(*SAME)).over(order).eqNullSafe(F.struct(*SAME))
    island = F.count_if(~is_other).over(order.rowsBetween(Window.unboundedPreceding, 0))
    merged = (
        hours.withColumn("island", island)
        .groupBy(*NODE, "island", *SAME)
        .agg(F.min("from_at").alias("valid_from_at"), F.max("until_at").alias("until_at"))
    )
    following = F.lead("valid_from_at").over(Window.partitionBy(*NODE).orderBy("island"))
    return merged.withColumn("valid_until_at", F.coalesce(following, "until_at"))


def with_answers(rows: DataFrame) -> DataFrame:
    """answers and unanswered: of a node that was no controller nothing was to be answered."""
    questions = table("questions.tsv")
    told = [F.when(asked(one) & holds(one), one["question"]) for one in questions]
    untold = [F.when(asked(one) & ~holds(one), f"{one['question']}: {one['todo']}") for one in questions]
    return rows.withColumns(
        {
            "answers": F.array_compact(F.array(*told)),
            "unanswered": F.array_compact(F.array(*untold)),
            "is_complete": F.size("gaps") == 0,
            "certainty": F.lit("inferred"),
        }
    )


def asked(question: dict[str, str]) -> Column:
    return F.col("is_controller") & (F.col("mode") == question["mode"])


def holds(question: dict[str, str]) -> Column:
    """Whether all logs that the question needs were seen, at the level that it needs in the node's release."""
    logs = reduce(Column.__and__, (F.array_contains("logs", log) for log in question["logs"].split(",")))
    at_least = {"": F.lit(True), "TRACE": F.col("state_change_level") == "TRACE", "INFO": F.lit(True)}
    level = F.when(F.col("is_from_2_6"), at_least[question["level_from_2_6"]]).otherwise(
        at_least[question["level"]]
    )
    return logs & F.coalesce(level, F.lit(False))
