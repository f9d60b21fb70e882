"""Breaches of the limit of leader imbalance: how long each lasted, what Kafka did about it, and why not more."""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.core.intervals import FAR, open_end, with_island
from pipeline.kafka.reassigning import reassigning
from pipeline.kafka.statements import PARTITION
from schemas.gold.imbalance_breach import SPEC

BROKER = ("cluster_id", "broker_id")
EVIDENCE_KEPT = 5


def build(
    leader_imbalance: DataFrame,
    imbalance_check: DataFrame,
    partition_timeline: DataFrame,
    broker_session: DataFrame,
    reassignment_event: DataFrame,
    reassignment_before: DataFrame,
    audit_limit: DataFrame,
    cut: datetime | None,
) -> DataFrame:
    """One row per breach: intervals of gold.leader_imbalance over the limit that follow one another.

    cut: before which no breach began whose row counts; what is given are rows that reach it, and all of broker_session.
    reassignment_before: rows of reassignment_event, the last of each partition before the cut.
    audit_limit: one row per cluster: imbalance_checks, and until_at (end of the data), where open ones are cut.
    A broker is able to lead where it is live (as far as any list of live brokers has it) and in the ISR, as last
    stated, of a partition that another one leads.
    """
    found = leader_imbalance.transform(episodes, audit_limit)
    head = F.get("replicas", F.lit(0))
    led_elsewhere = partition_timeline.where("get(replicas, 0) <> leader AND leader >= 0 AND NOT is_deleting")
    of_head = led_elsewhere.select(
        *PARTITION, head.alias("broker_id"), F.col("valid_from_at").alias("from_at"),
        F.col("valid_until_at").alias("until_at"), F.array_contains("isr", head).alias("is_able"),
        F.coalesce("is_isr_stale", F.lit(False)).alias("is_stale"), "evidence",
    )  # fmt: skip
    moving = reassigning(partition_timeline, since(reassignment_event, reassignment_before, cut))
    # How long a broker had been there that a controller finds at its start, no line says.
    first = F.row_number().over(Window.partitionBy(*BROKER).orderBy("joined_at")) == 1
    is_found = first & (F.col("joined_how") != "joined")
    stays = broker_session.withColumn("from_at", F.when(~is_found, F.col("joined_at"))).select(
        *BROKER, "from_at", F.col("left_at").alias("until_at")
    )
    live = within(found, stays.unionByName(found.transform(unlisted, broker_session)), BROKER)
    able = within(live, of_head.where("is_able"), BROKER, PARTITION[1:], "evidence")
    unsure = within(live, of_head.where("is_stale"), BROKER)
    return (
        found.transform(with_longest, able)
        .transform(
            with_share, within(found, apart(moving, ("cluster_id",)), ("cluster_id",)), "reassigning_ms"
        )
        .transform(with_share, unsure, "stale_ms")
        .transform(with_share, live, "live_ms")
        .withColumns(durations())
        .transform(with_checks, imbalance_check)
        .transform(with_why)
        .select(*SPEC.columns)
    )


def since(rows: DataFrame, before: DataFrame, cut: datetime | None) -> DataFrame:
    return rows if cut is None else rows.where(F.col("logged_at") >= F.lit(cut)).unionByName(before)


def unlisted(breaches: DataFrame, broker_session: DataFrame) -> DataFrame:
    """(BROKER, from_at, until_at) of breaches of brokers that no list of live brokers named before they were over."""
    first = broker_session.groupBy(*BROKER).agg(F.min("joined_at").alias("listed_at"))
    return (
        breaches.join(F.broadcast(first), on=[*BROKER], how="left")
        .where("listed_at IS NULL OR listed_at >= until_at")
        .select(*BROKER, F.col("breached_at").alias("from_at"), "until_at")
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


def within(
    breaches: DataFrame, stretches: DataFrame, by: tuple[str, ...], each: tuple[str, ...] = (), *kept: str
) -> DataFrame:
    """(BROKER, breached_at, from_at, until_at, kept) of the parts of stretches that lie in breaches, those that touch
    put together, of `each` by itself. Breaches may be parts of such already (from_at, until_at)."""
    since = "from_at" if "from_at" in breaches.columns else "breached_at"
    inside = breaches.select(
        *BROKER, "breached_at", F.col(since).alias("a_from"), F.col("until_at").alias("a_until")
    )
    begins = F.coalesce(F.col("from_at") < F.col("a_until"), F.lit(True))
    ends = F.coalesce(F.col("until_at") > F.col("a_from"), F.lit(True))
    parts = (
        stretches.join(F.broadcast(inside), on=[*by], how="inner")
        .where(begins & ends)
        .withColumn("from_at", F.greatest("from_at", "a_from"))
        .withColumn("until_at", F.least("until_at", "a_until"))
    )
    return apart(parts, (*BROKER, "breached_at", *each), *kept)


def apart(stretches: DataFrame, by: tuple[str, ...], *kept: str) -> DataFrame:
    """(by, from_at, until_at, kept): stretches that touch are one; kept is of the first of them."""
    first = [F.min_by(name, F.struct("from_at", name)).alias(name) for name in kept]
    last = F.max(open_end())
    return (
        stretches.transform(with_island, by)
        .groupBy(*by, "island")
        .agg(F.min("from_at").alias("from_at"), F.when(last < F.lit(FAR), last).alias("until_at"), *first)
        .drop("island")
    )


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
        .when(is_standing & (F.col("reassigning_ms") * 2 > F.col("duration_ms")), "reassignment_in_progress")
        .when(is_standing, "not_rebalanced")
        .when(F.col("down_ms") * 2 > F.col("duration_ms"), "preferred_down")
        .when(F.col("able_ms") * 2 < F.col("duration_ms") - F.col("down_ms"), "preferred_not_in_isr")
        .otherwise("between_checks")
    )
    lines = F.array_distinct(
        F.concat(
            "begun",
            "evidence",
            F.coalesce("able", F.array().cast("array<struct<file_id: string, byte_offset: bigint>>")),
        )
    )
    is_guess = (F.col("why") == "preferred_not_in_isr") & (F.col("stale_ms") > 0)
    certainty = F.when(is_guess, "undetermined").otherwise(F.col("certainty"))
    return breaches.withColumn("why", why).withColumns(
        {"is_standing": is_standing, "certainty": certainty, "evidence": F.slice(lines, 1, EVIDENCE_KEPT)}
    )
