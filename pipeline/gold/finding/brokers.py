"""Rules on brokers that come and go."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import kept_of, rule

CUT_SHORT = (
    "%s asked to be shut down and left %d of %d partition(s) without a leader that have other replicas, "
    "%.1f s later"
)
BROKER = ("cluster_id", "broker_id")


def broker_flapping(broker_session: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """A broker left several times in a row without having been shut down: it dies, hangs, or loses its session."""
    limit = audit_limit.select("cluster_id", "flapping_departures", "flapping_minutes", "until_at")
    order = Window.partitionBy(*BROKER).orderBy("left_at")
    so_far = order.rowsBetween(Window.unboundedPreceding, 0)
    apart = F.unix_seconds("left_at") - F.unix_seconds(F.lag("left_at").over(order))
    is_new = F.coalesce(apart > F.col("flapping_minutes") * 60, F.lit(True))
    runs = (
        broker_session.where("left_at IS NOT NULL AND NOT coalesce(is_clean, false)")
        .join(F.broadcast(limit), on="cluster_id", how="inner")
        .withColumn("is_new", is_new)
        .withColumn("run", F.sum(F.col("is_new").cast("int")).over(so_far))
        .groupBy(*BROKER, "run", "flapping_departures", "flapping_minutes", "until_at")
        .agg(
            F.count("*").alias("departures"),
            F.min("left_at").alias("valid_from_at"),
            F.max("left_at").alias("last_at"),
            F.min(F.unix_millis("left_at") - F.unix_millis("joined_at")).alias("shortest_ms"),
            F.collect_list(F.struct("left_at", F.slice("evidence", -1, 1).alias("evidence"))).alias("each"),
        )
        .where("departures >= flapping_departures")
    )
    goes_on = F.unix_seconds("until_at") - F.unix_seconds("last_at") <= F.col("flapping_minutes") * 60
    sentence = F.format_string(
        "%s left %d times without having been shut down, there for %.1f s at the shortest",
        broker_name(), "departures", F.col("shortest_ms") / 1000,
    )  # fmt: skip
    return runs.select(
        "cluster_id", *rule("broker_flapping", "warning"), broker_name().alias("entity"),
        F.format_string("broker left at %s", F.unix_millis("valid_from_at")).alias("root_event"),
        F.lit(None).cast("string").alias("term_id"), "valid_from_at",
        F.when(~goes_on, F.col("last_at")).alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("proved").alias("certainty"), kept_of(F.col("each")).alias("evidence"),
    )  # fmt: skip


def unclean_shutdown(broker_session: DataFrame) -> DataFrame:
    """A broker asked to be shut down and was gone before all that others could lead was theirs: the shutdown was cut
    short, or no other replica was in sync."""
    asked = F.get("shutdown_requested_at", F.lit(0))
    left = broker_session.where("size(shutdown_requested_at) > 0 AND is_clean = false AND unmoved_count > 0")
    sentence = F.format_string(
        CUT_SHORT, broker_name(), "unmoved_count", F.greatest("led_before_count", "unmoved_count"),
        (F.unix_millis("left_at") - F.unix_millis(asked)) / 1000,
    )  # fmt: skip
    return left.select(
        "cluster_id", *rule("unclean_shutdown", "warning"), broker_name().alias("entity"),
        F.format_string("broker left at %s", F.unix_millis("left_at")).alias("root_event"),
        F.col("left_term_id").alias("term_id"), asked.alias("valid_from_at"),
        F.col("left_at").alias("valid_until_at"), sentence.alias("sentence"), "certainty", "evidence",
    )  # fmt: skip


def broker_name() -> Column:
    return F.format_string("broker %d", "broker_id")
