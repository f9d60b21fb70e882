"""Rules on partitions without a leader."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import kept
from pipeline.kafka.unled import EVENT, with_event

CHOSEN = "controlled"
AT_STARTUP = "missing_at_startup"
SHUT_DOWN = ("cluster_id", "term_id", "root_broker_id")


def outage(partition_outage: DataFrame, controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """One event left partitions without a leader for longer than conf allows, as noticed: critical while it goes on,
    a warning once it is over; what a controlled shutdown did is told, no more: who has one replica chose so.

    One finding per event; what may have lasted so long, by its upper bound alone, is none.
    """
    groups = events(partition_outage, controller_term, audit_limit)
    longest = F.get("each", F.lit(0))
    gone = F.concat_ws(",", F.col("brokers").cast("array<string>"))
    has_brokers = F.size("brokers") > 0
    by_them = F.when(has_brokers, F.concat(F.lit(": broker "), gone, F.lit(" gone"))).otherwise("")
    still = F.when(F.col("open") > 0, F.format_string("; %d still without", "open")).otherwise("")
    sentence = F.format_string(
        "%s left %d partition(s) without a leader, %.1f partition-seconds, longest %.1f s (%s)%s",
        F.concat("root_event", by_them), "partitions", F.col("lasted_ms") / 1000,
        longest["rank"] / -1000, longest["name"], still,
    )  # fmt: skip
    severity = F.when(F.col("open") > 0, "critical").when(F.col("is_chosen"), "info").otherwise("warning")
    return groups.select(
        "cluster_id", F.lit("outage").alias("rule"), F.lit(1).alias("rule_version"), severity.alias("severity"),
        F.when(has_brokers, F.concat(F.lit("broker "), gone)).otherwise(F.col("first.name")).alias("entity"),
        F.format_string("%s at %d", "root_event", F.unix_seconds("second_at")).alias("root_event"), "term_id",
        "valid_from_at", F.when(F.col("open") == 0, F.col("ended_at")).alias("valid_until_at"),
        sentence.alias("sentence"), "certainty", F.flatten("each.evidence").alias("evidence"),
    )  # fmt: skip


def events(partition_outage: DataFrame, controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """(cluster_id, EVENT, ...): what left a partition without a leader for so long; partitions, lasted_ms, open and
    each, the longest first, are of those partitions, brokers and first of all that it left: the name of the finding
    must not change as time goes on."""
    within = (
        partition_outage.where("certainty <> 'undetermined'")
        .join(F.broadcast(audit_limit), on="cluster_id", how="inner")
        .join(F.broadcast(shut_down(controller_term)), on=[*SHUT_DOWN], how="left")
    )
    is_unsaid = F.coalesce("root_left_how", F.lit(AT_STARTUP)) == AT_STARTUP
    was_controller = F.col("is_shut_down") & is_unsaid
    is_chosen = F.coalesce((F.col("root_left_how") == CHOSEN) | was_controller, F.lit(False))
    end = F.greatest(F.coalesce("ended_at", "until_at"), F.col("noticed_at"))
    is_long, is_open = F.col("lasted_ms") >= F.col("outage_ms"), F.col("ended_at").isNull()
    name = F.concat_ws("-", "topic", "partition")
    line = F.struct((-F.col("lasted_ms")).alias("rank"), name.alias("name"), "evidence")
    return (
        within.withColumn("lasted_ms", F.unix_millis(end) - F.unix_millis("noticed_at"))
        .transform(with_event)
        .groupBy("cluster_id", *EVENT)
        .agg(
            F.count_if(is_long).alias("partitions"),
            F.sum(F.when(is_long, F.col("lasted_ms"))).alias("lasted_ms"),
            F.min("noticed_at").alias("valid_from_at"),
            F.max(F.when(is_long, F.col("ended_at"))).alias("ended_at"),
            F.count_if(is_long & is_open).alias("open"),
            F.bool_and(is_chosen).alias("is_chosen"),
            F.array_sort(F.collect_set("root_broker_id")).alias("brokers"),
            F.min(F.struct("noticed_at", name.alias("name"))).alias("first"),
            F.min("certainty").alias("certainty"),
            kept(F.collect_list(F.when(is_long, line))).alias("each"),
        )
        .where("partitions > 0")
    )


def shut_down(controller_term: DataFrame) -> DataFrame:
    """(SHUT_DOWN, is_shut_down): terms of a broker that was shut down in office, and the terms after them: it is not
    found at the start, and nobody was there to say how it left. An outage is of its own term where no list had it."""
    of_term = controller_term.select("cluster_id", "life", "controller_epoch", "term_id")
    epoch = F.col("controller_epoch")
    before = controller_term.where("ended_how = 'shutdown'").select(
        "cluster_id", "life", F.explode(F.array(epoch, epoch + 1)).alias("controller_epoch"),
        F.col("controller_id").alias("root_broker_id"), F.lit(True).alias("is_shut_down"),
    )  # fmt: skip
    return (
        of_term.join(before, on=["cluster_id", "life", "controller_epoch"], how="inner")
        .select(*SHUT_DOWN, "is_shut_down")
        .distinct()
    )
