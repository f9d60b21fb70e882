"""Rules on leaders of partitions and on topics."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import kept_of, place, rule

NOT_ENABLED = "; auto.leader.rebalance.enable=false: nothing moves leaders back"


def unclean_election(log_record: DataFrame) -> DataFrame:
    """Kafka says that it chose a leader outside of the ISR: what the old leader had alone is lost.

    Said by the offline selector up to 1.0, by leaderRecoveryState from 3.2, by KRaft controllers from 3.6;
    releases 1.1 to 3.1 print no line for it, and none is inferred here.
    """
    is_recovering = (F.col("event") == "partition_transition") & F.col("fields")["leader_and_isr"].contains(
        "leaderRecoveryState=RECOVERING"
    )
    said = log_record.where(F.col("event").isin("selector_unclean_elected", "elect_unclean") | is_recovering)
    leader = F.coalesce(F.col("fields")["new_leader"], F.col("fields")["node"], "leader")
    partition = F.concat_ws("-", F.coalesce("topic", F.col("fields")["topic_id"]), "partition")
    sentence = F.format_string(
        "unclean election: %s got leader %s outside of its in-sync replicas; records that it had not copied are lost",
        partition, leader,
    )  # fmt: skip
    return said.where("logged_at IS NOT NULL").select(
        "cluster_id", *rule("unclean_election", "critical"), partition.alias("entity"),
        F.format_string("elected at %s", F.unix_millis("logged_at")).alias("root_event"),
        F.lit(None).cast("string").alias("term_id"), F.col("logged_at").alias("valid_from_at"),
        F.col("logged_at").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("proved").alias("certainty"), F.array(place()).alias("evidence"),
    )  # fmt: skip


def standing_imbalance(
    leader_imbalance: DataFrame, partition_timeline: DataFrame, audit_limit: DataFrame
) -> DataFrame:
    """A breach that stands at the end of the data although its broker is in the ISR of what it should lead."""
    changes = Window.partitionBy("cluster_id", "broker_id").orderBy("valid_from_at")
    episodes = leader_imbalance.where("certainty <> 'undetermined'").withColumn(
        "calm_at", F.max(F.when(~F.col("is_breach"), F.col("valid_until_at"))).over(
            changes.rowsBetween(Window.unboundedPreceding, Window.currentRow)),
    ).withColumn("first_at", F.min("valid_from_at").over(Window.partitionBy("cluster_id", "broker_id")))  # fmt: skip
    able = (
        partition_timeline.where(
            "valid_until_at IS NULL AND leader <> replicas[0] AND array_contains(isr, replicas[0])"
        )
        .groupBy("cluster_id", F.col("replicas")[0].alias("broker_id"))
        .agg(F.collect_list(F.struct("evidence")).alias("able"))
    )
    since = F.coalesce("calm_at", "first_at")
    standing = (
        episodes.where("valid_until_at IS NULL AND is_breach")
        .join(able, on=["cluster_id", "broker_id"], how="inner")
        .join(F.broadcast(audit_limit), on="cluster_id", how="inner")
        .withColumn("since_at", since)
        .where(
            "unix_timestamp(until_at) - unix_timestamp(since_at) > check_interval_seconds * imbalance_checks"
        )
    )
    unmoved = F.when(F.col("is_auto_rebalance_enabled"), "").otherwise(NOT_ENABLED)
    sentence = F.format_string(
        "broker %d leads too few: %d of its %d preferred partitions are led elsewhere, ratio %.4f over %.2f%s",
        "broker_id", "led_elsewhere_count", "preferred_count", "imbalance_ratio", "threshold_ratio", unmoved,
    )  # fmt: skip
    entity = F.format_string("broker %d", "broker_id")
    return standing.select(
        "cluster_id", *rule("standing_imbalance", "warning"), entity.alias("entity"),
        F.format_string("breach since %s", F.col("since_at").cast("string")).alias("root_event"),
        F.lit(None).cast("string").alias("term_id"), F.col("since_at").alias("valid_from_at"),
        F.lit(None).cast("timestamp").alias("valid_until_at"), sentence.alias("sentence"), "certainty",
        F.array_distinct(F.concat("evidence", kept_of(F.col("able")))).alias("evidence"),
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
