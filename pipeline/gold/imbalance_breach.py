"""Breaches of the limit of leader imbalance: how long each lasted, what Kafka did about it, and why not more."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from schemas.gold.imbalance_breach import SPEC
from schemas.spec import EVIDENCE_TYPE

BROKER = ("cluster_id", "broker_id")
EVIDENCE_KEPT = 5


def build(
    leader_imbalance: DataFrame,
    imbalance_check: DataFrame,
    partition_timeline: DataFrame,
    broker_session: DataFrame,
    audit_limit: DataFrame,
) -> DataFrame:
    """One row per breach: intervals of gold.leader_imbalance over the limit that follow one another.

    audit_limit: one row per cluster: imbalance_checks, and until_at (end of the data), where open ones are cut.
    A broker is able to lead where it is live (as far as any list of live brokers has it) and in the ISR, as last
    stated, of a partition that another one leads.
    """
    found = leader_imbalance.transform(episodes, audit_limit)
    of_head = partition_timeline.where("replicas[0] <> leader AND leader >= 0 AND NOT is_deleting").select(
        "cluster_id", F.col("replicas")[0].alias("broker_id"), F.col("valid_from_at").alias("from_at"),
        F.col("valid_until_at").alias("until_at"), F.array_contains("isr", F.col("replicas")[0]).alias("is_able"),
        "evidence",
    )  # fmt: skip
    moving = partition_timeline.where("size(adding_replicas) > 0 OR size(removing_replicas) > 0").select(
        "cluster_id", F.col("valid_from_at").alias("from_at"), F.col("valid_until_at").alias("until_at")
    )
    stays = broker_session.select(
        *BROKER, F.col("joined_at").alias("from_at"), F.col("left_at").alias("until_at")
    )
    never = found.join(broker_session.select(*BROKER).distinct(), on=[*BROKER], how="left_anti")
    unlisted = never.select(*BROKER, F.col("breached_at").alias("from_at"), "until_at").distinct()
    live = within(found, stays.unionByName(unlisted), BROKER)
    able = within(live, of_head.where("is_able"), BROKER, "evidence")
    return (
        found.transform(with_longest, able)
        .transform(with_share, within(found, moving, ("cluster_id",)), "reassigning_ms")
        .transform(with_share, live, "live_ms")
        .withColumns(durations())
        .transform(with_checks, imbalance_check)
        .transform(with_why)
        .select(*SPEC.columns)
    )


def episodes(leader_imbalance: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """Stretches of breach (BROKER, breached_at, balanced_at, until_at: the end of the data where it is open)."""
    order = Window.partitionBy(*BROKER).orderBy("valid_from_at")
    goes_on = F.lag("valid_until_at").over(order) == F.col("valid_from_at")
    so_far = order.rowsBetween(Window.unboundedPreceding, 0)
    highest = F.max_by(
        F.struct(
            "imbalance_ratio", "led_elsewhere_count", "preferred_count", "threshold_ratio", "evidence",
        ),
        F.struct("imbalance_ratio", "valid_from_at"),
    )  # fmt: skip
    last = F.max_by(
        F.struct("valid_until_at", "check_interval_seconds", "is_auto_rebalance_enabled"), "valid_from_at"
    )
    certain = F.when(F.bool_and(F.col("certainty") != "undetermined"), "inferred").otherwise("undetermined")
    return (
        leader_imbalance.where("is_breach")
        .withColumn("number", F.sum((~F.coalesce(goes_on, F.lit(False))).cast("int")).over(so_far))
        .groupBy(*BROKER, "number")
        .agg(
            F.min("valid_from_at").alias("breached_at"),
            F.min_by("evidence", "valid_from_at").alias("begun"),
            highest.alias("highest"),
            last.alias("last"),
            certain.alias("certainty"),
        )
        .join(F.broadcast(audit_limit), on="cluster_id", how="inner")
        .select(
            *BROKER, "breached_at", F.col("last.valid_until_at").alias("balanced_at"), "certainty", "begun",
            F.greatest("breached_at", F.coalesce("last.valid_until_at", "until_at")).alias("until_at"),
            "highest.*", F.col("highest.imbalance_ratio").alias("max_ratio"), "last.check_interval_seconds",
            "last.is_auto_rebalance_enabled", "imbalance_checks",
        )
    )  # fmt: skip


def within(breaches: DataFrame, stretches: DataFrame, by: tuple[str, ...], *kept: str) -> DataFrame:
    """(BROKER, breached_at, from_at, until_at, kept) of the parts of stretches that lie in breaches, those that touch
    put together. Breaches may be parts of such already (from_at, until_at)."""
    since = "from_at" if "from_at" in breaches.columns else "breached_at"
    inside = breaches.select(
        *BROKER, "breached_at", F.col(since).alias("a_from"), F.col("until_at").alias("a_until")
    )
    touches = (F.col("from_at") < F.col("a_until")) & F.coalesce(
        F.col("until_at") > F.col("a_from"), F.lit(True)
    )
    parts = stretches.join(F.broadcast(inside), on=[*by], how="inner").where(touches)
    order = Window.partitionBy(*BROKER, "breached_at").orderBy("part_from", "part_until")
    before = F.max("part_until").over(order.rowsBetween(Window.unboundedPreceding, -1))
    is_apart = F.coalesce(F.col("part_from") > before, F.lit(True)).cast("int")
    joined = (
        parts.withColumn("part_from", F.greatest("from_at", "a_from"))
        .withColumn("part_until", F.least(F.coalesce("until_at", "a_until"), "a_until"))
        .withColumn("is_apart", is_apart)
        .withColumn("part", F.sum("is_apart").over(order.rowsBetween(Window.unboundedPreceding, 0)))
        .groupBy(*BROKER, "breached_at", "part")
    )
    first = [F.min_by(name, F.struct("part_from", name)).alias(name) for name in kept]
    return joined.agg(
        F.min("part_from").alias("from_at"), F.max("part_until").alias("until_at"), *first
    ).drop("part")


def lasted(since: str, until: str) -> Column:
    return F.unix_millis(until) - F.unix_millis(since)


def with_longest(breaches: DataFrame, able: DataFrame) -> DataFrame:
    """able_ms, and able: the line that says so of the longest stretch."""
    longest = able.groupBy(*BROKER, "breached_at").agg(
        F.max(F.struct(lasted("from_at", "until_at").alias("ms"), "evidence")).alias("longest")
    )
    joined = breaches.join(longest, on=[*BROKER, "breached_at"], how="left")
    return joined.withColumns(
        {"able_ms": F.coalesce("longest.ms", F.lit(0)).cast("long"), "able": F.col("longest.evidence")}
    )


def with_share(breaches: DataFrame, parts: DataFrame, name: str) -> DataFrame:
    total = parts.groupBy(*BROKER, "breached_at").agg(F.sum(lasted("from_at", "until_at")).alias(name))
    joined = breaches.join(total, on=[*BROKER, "breached_at"], how="left")
    return joined.withColumn(name, F.coalesce(name, F.lit(0)).cast("long"))


def durations() -> dict[str, Column]:
    duration = lasted("breached_at", "until_at")
    return {"duration_ms": duration, "down_ms": duration - F.col("live_ms")}


def with_checks(breaches: DataFrame, imbalance_check: DataFrame) -> DataFrame:
    """check_count, triggered_count and moved_count of checks by controllers in office."""
    inside = breaches.select(*BROKER, "breached_at", F.col("until_at").alias("end_at"))
    meanwhile = (F.col("checked_at") >= F.col("breached_at")) & (F.col("checked_at") <= F.col("end_at"))
    counted = (
        imbalance_check.where("NOT is_stale AND is_over")
        .join(F.broadcast(inside), on=[*BROKER], how="inner")
        .where(meanwhile)
        .groupBy(*BROKER, "breached_at")
        .agg(
            F.count("*").alias("check_count"),
            F.count_if("is_triggered").alias("triggered_count"),
            F.sum("moved_count").alias("moved_count"),
        )
    )
    none = {
        name: F.coalesce(name, F.lit(0).cast("long"))
        for name in ("check_count", "triggered_count", "moved_count")
    }
    return breaches.join(counted, on=[*BROKER, "breached_at"], how="left").withColumns(none)


def with_why(breaches: DataFrame) -> DataFrame:
    allowed_ms = F.col("check_interval_seconds") * F.col("imbalance_checks") * 1000
    is_standing = F.col("able_ms") > allowed_ms
    why = (
        F.when(~F.col("is_auto_rebalance_enabled"), "auto_rebalance_disabled")
        .when(is_standing & (F.col("reassigning_ms") * 2 > F.col("able_ms")), "reassignment_in_progress")
        .when(is_standing, "not_rebalanced")
        .when(F.col("down_ms") * 2 > F.col("duration_ms"), "preferred_down")
        .when(F.col("able_ms") * 2 < F.col("duration_ms") - F.col("down_ms"), "preferred_not_in_isr")
        .otherwise("between_checks")
    )
    lines = F.array_distinct(F.concat("begun", "evidence", F.coalesce("able", F.array().cast(EVIDENCE_TYPE))))
    return breaches.withColumns(
        {"is_standing": is_standing, "why": why, "evidence": F.slice(lines, 1, EVIDENCE_KEPT)}
    )
