"""What a person should look at: small named rules over the gold tables, grouped by their root event."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from schemas.gold.finding import SPEC

EVIDENCE_KEPT = 5


def build(
    transition_audit: DataFrame,
    controller_term: DataFrame,
    partition_timeline: DataFrame,
    leader_imbalance: DataFrame,
    topic_event: DataFrame,
    log_record: DataFrame,
    audit_limit: DataFrame,
    published_finding: DataFrame,
) -> DataFrame:
    """One row per finding; a healthy cluster has none.

    audit_limit: one row per cluster: standing_seconds, overlap_ms, no_controller_ms, until_at (end of the data).
    published_finding: gold.finding as published before this run; it decides new, ongoing, resolved, retracted.
    """
    found = (
        unclean_election(log_record)
        .unionByName(illegal_move(transition_audit))
        .unionByName(refused_move(transition_audit))
        .unionByName(discontinuity(transition_audit))
        .unionByName(controller_outlived(controller_term, audit_limit))
        .unionByName(no_controller(controller_term, audit_limit))
        .unionByName(standing_imbalance(leader_imbalance, partition_timeline, audit_limit))
        .unionByName(blocked_deletion(topic_event))
        .unionByName(not_understood(log_record))
    )
    return found.transform(with_status, published_finding).select(*SPEC.columns)


def rule(name: str, severity: str, version: int = 1) -> tuple[Column, ...]:
    return (
        F.lit(name).alias("rule"),
        F.lit(version).alias("rule_version"),
        F.lit(severity).alias("severity"),
    )


def place() -> Column:
    return F.struct("file_id", "byte_offset")


def kept(lines: Column) -> Column:
    return F.slice(F.array_sort(lines), 1, EVIDENCE_KEPT)


def kept_of(ordered: Column) -> Column:
    """The evidence of the first ones of (order ..., evidence), joined."""
    return F.flatten(kept(ordered)["evidence"])


def controller_name() -> Column:
    return F.format_string("controller %d (epoch %d)", "controller_id", "controller_epoch")


def moves_of_verdict(
    transition_audit: DataFrame, name: str, severity: str, condition: str, words: str
) -> DataFrame:
    """Moves with one verdict, a finding per term, machine and pair of states."""
    name_of_partition = F.concat_ws("-", "topic", "partition").alias("name")
    by = ("cluster_id", "term_id", "machine", "from_state", "to_state", "controller_id", "controller_epoch")
    groups = (
        transition_audit.where(condition)
        .groupBy(*by)
        .agg(
            F.count("*").alias("moves"),
            F.min("logged_at").alias("valid_from_at"),
            F.max("logged_at").alias("valid_until_at"),
            F.collect_list(F.struct("seq", "logged_at", "evidence", name_of_partition)).alias("each"),
        )
    )
    sentence = F.format_string(
        f"%s {words} %d %s move(s) %s -> %s, first of %s",
        controller_name(), "moves", "machine", "from_state", "to_state", kept(F.col("each"))[0]["name"],
    )  # fmt: skip
    return groups.select(
        "cluster_id", *rule(name, severity),
        F.format_string("%s %s -> %s", "machine", "from_state", "to_state").alias("entity"),
        controller_name().alias("root_event"), "term_id", "valid_from_at", "valid_until_at",
        sentence.alias("sentence"), F.lit("proved").alias("certainty"), kept_of(F.col("each")).alias("evidence"),
    )  # fmt: skip


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


def illegal_move(transition_audit: DataFrame) -> DataFrame:
    """A line says that a move happened which Kafka's matrix does not allow."""
    return moves_of_verdict(transition_audit, "illegal_move", "critical", "verdict = 'illegal'", "made")


def refused_move(transition_audit: DataFrame) -> DataFrame:
    """The controller refused its own attempt, and no release does that normally."""
    condition = "verdict = 'refused' AND normal IS NULL"
    return moves_of_verdict(transition_audit, "refused_move", "warning", condition, "refused")


def discontinuity(transition_audit: DataFrame) -> DataFrame:
    """A move starts from another state than the last one led to, and nothing explains it."""
    condition = "verdict = 'discontinuity'"
    return moves_of_verdict(transition_audit, "discontinuity", "warning", condition, "logged out of line")


def controller_outlived(controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """A controller resigned long after the next one was elected: two at once."""
    late = controller_term.join(F.broadcast(audit_limit), on="cluster_id", how="inner").where(
        "-gap_ms > overlap_ms"
    )
    sentence = F.format_string(
        "%s resigned %.1f s after the next controller was elected", controller_name(), F.col("gap_ms") / -1000
    )
    return late.select(
        "cluster_id", *rule("controller_outlived", "warning"), controller_name().alias("entity"),
        controller_name().alias("root_event"), "term_id", F.col("superseded_at").alias("valid_from_at"),
        F.col("ended_at").alias("valid_until_at"), sentence.alias("sentence"), "certainty", "evidence",
    )  # fmt: skip


def no_controller(controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """Between the end of a term and the next election lies longer than a session time-out explains."""
    gap = controller_term.join(F.broadcast(audit_limit), on="cluster_id", how="inner").where(
        "gap_ms > no_controller_ms"
    )
    sentence = F.format_string(
        "no controller for up to %.1f s after %s", F.col("gap_ms") / 1000, controller_name()
    )
    return gap.select(
        "cluster_id", *rule("no_controller", "warning"), F.lit("controller").alias("entity"),
        controller_name().alias("root_event"), "term_id", F.col("ended_at").alias("valid_from_at"),
        F.col("superseded_at").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("inferred").alias("certainty"), "evidence",
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
        .where("unix_timestamp(until_at) - unix_timestamp(since_at) > standing_seconds")
    )
    sentence = F.format_string(
        "broker %d leads too few: %d of its %d preferred partitions are led elsewhere, ratio %.4f over %.2f",
        "broker_id", "led_elsewhere_count", "preferred_count", "imbalance_ratio", "threshold_ratio",
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


def not_understood(log_record: DataFrame) -> DataFrame:
    """Records of the controller's logs whose wording no template names: what they say is missing everywhere else."""
    logs = "log IN ('controller', 'state-change') AND not_understood_reason NOT IN ('blank', 'other_logger')"
    reason = Window.partitionBy("cluster_id", "not_understood_reason").orderBy("file_id", "byte_offset")
    shown = F.when(F.col("number") <= EVIDENCE_KEPT, place())
    groups = (
        log_record.where(logs)
        .select("cluster_id", "not_understood_reason", "logged_at", "file_id", "byte_offset")
        .withColumn("number", F.row_number().over(reason))
        .groupBy("cluster_id", "not_understood_reason")
        .agg(
            F.count("*").alias("records"),
            F.min("logged_at").alias("valid_from_at"),
            F.collect_list(shown).alias("lines"),
        )
    )
    sentence = F.format_string("%d record(s) not understood: %s", "records", "not_understood_reason")
    return groups.where("valid_from_at IS NOT NULL").select(
        "cluster_id", *rule("not_understood", "info"), F.lit("logs").alias("entity"),
        F.col("not_understood_reason").alias("root_event"), F.lit(None).cast("string").alias("term_id"),
        "valid_from_at", F.lit(None).cast("timestamp").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("proved").alias("certainty"), kept(F.col("lines")).alias("evidence"),
    )  # fmt: skip


def with_status(found: DataFrame, published_finding: DataFrame) -> DataFrame:
    """new, ongoing, resolved; what was published and is found no more stays as retracted."""
    name = F.concat_ws("|", "cluster_id", "rule", "entity", "root_event", "term_id")
    named = found.withColumn("finding_id", F.substring(F.sha2(name, 256), 1, 12))
    before = published_finding.select("finding_id").withColumn("was_published", F.lit(True))
    status = (
        F.when(F.col("was_published").isNull(), "new")
        .when(F.col("valid_until_at").isNull(), "ongoing")
        .otherwise("resolved")
    )
    now = named.join(before, on="finding_id", how="left").withColumn("status", status).drop("was_published")
    gone = published_finding.join(named.select("finding_id"), on="finding_id", how="left_anti")
    retracted = gone.withColumn("status", F.lit("retracted")).select(*now.columns)
    return now.unionByName(retracted)
