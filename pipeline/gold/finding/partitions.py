"""Rules on leadership of brokers and on topics."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import place

NOT_ENABLED = "; auto.leader.rebalance.enable=false: nothing moves leaders back"


def standing_imbalance(imbalance_breach: DataFrame) -> DataFrame:
    """A breach that outlasted the checks that a finding allows, while its broker was live and in the ISR of what it
    should lead; a warning while it stands."""
    standing = imbalance_breach.where("is_standing AND certainty <> 'undetermined'")
    unmoved = F.when(F.col("why") == "auto_rebalance_disabled", NOT_ENABLED).otherwise("")
    sentence = F.format_string(
        "broker %d leads too few: %d of its %d preferred partitions are led elsewhere, ratio %.4f over %.2f%s",
        "broker_id", "led_elsewhere_count", "preferred_count", "max_ratio", "threshold_ratio", unmoved,
    )  # fmt: skip
    severity = F.when(F.col("balanced_at").isNull(), "warning").otherwise("info")
    return standing.select(
        "cluster_id", F.lit("standing_imbalance").alias("rule"), F.lit(2).alias("rule_version"),
        severity.alias("severity"), F.format_string("broker %d", "broker_id").alias("entity"),
        F.format_string("breach since %s", F.col("breached_at").cast("string")).alias("root_event"),
        F.lit(None).cast("string").alias("term_id"), F.col("breached_at").alias("valid_from_at"),
        F.col("balanced_at").alias("valid_until_at"), sentence.alias("sentence"), "certainty", "evidence",
    )  # fmt: skip


def blocked_deletion(topic_event: DataFrame) -> DataFrame:
    """A topic's deletion was put off because a replica's broker was dead; a warning while it still stands."""
    topics = Window.partitionBy("cluster_id", "topic").orderBy("logged_at", "byte_offset")
    before = topics.rowsBetween(Window.unboundedPreceding, -1)
    line = F.struct("logged_at", place().alias("place"))
    done = F.coalesce(F.sum(F.when(F.col("step") == "deletion_completed", 1)).over(before), F.lit(0))
    lives = (
        topic_event.withColumn("deletion", done)
        .groupBy("cluster_id", "topic", "deletion")
        .agg(
            F.min(F.when(F.col("step") == "deletion_queued", line)).alias("queued"),
            F.min(F.when(F.col("step") == "deletion_blocked", line)).alias("blocked"),
            F.max(F.when(F.col("step") == "deletion_completed", line)).alias("completed"),
        )
        .select(
            "*", *(F.col(f"{step}.logged_at").alias(f"{step}_at") for step in ("queued", "blocked", "completed")),
            F.array_compact(F.array("blocked.place", "queued.place", "completed.place")).alias("lines"),
        )
    )  # fmt: skip
    blocked = lives.where("blocked_at IS NOT NULL").withColumn(
        "began_at", F.coalesce("queued_at", "blocked_at")
    )
    waited = (F.unix_millis("completed_at") - F.unix_millis("began_at")) / 1000
    sentence = F.when(
        F.col("completed_at").isNotNull(),
        F.format_string(
            "deletion of topic %s was put off by a replica out of reach, completed after %.1f s",
            "topic",
            waited,
        ),
    ).otherwise(F.format_string("deletion of topic %s is stuck: a replica is out of reach", "topic"))
    severity = F.when(F.col("completed_at").isNull(), "warning").otherwise("info")
    return blocked.select(
        "cluster_id", F.lit("blocked_deletion").alias("rule"), F.lit(1).alias("rule_version"),
        severity.alias("severity"),
        F.concat(F.lit("topic "), "topic").alias("entity"),
        F.format_string("deletion %d", F.col("deletion") + 1).alias("root_event"),
        F.lit(None).cast("string").alias("term_id"), F.col("began_at").alias("valid_from_at"),
        F.col("completed_at").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("proved").alias("certainty"), F.col("lines").alias("evidence"),
    )  # fmt: skip
