"""Rules on the logs themselves: what is missing or not understood is missing in every verdict."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.core.days import hour_of
from pipeline.gold.finding.wording import kept, rule
from schemas.silver.log_gap import LINES_MISSING, NORMAL


def missing_logs(log_gap: DataFrame) -> DataFrame:
    """Lines that the verdicts would need are not there: one finding per node, log, kind and hour in which it begins,
    however many lines are missed and however many signs tell so."""
    node = F.when(F.col("node_id").isNull(), "cluster").otherwise(F.format_string("node %d", "node_id"))
    log = F.when(F.col("log").isNotNull(), F.concat("log", F.lit(".log")))
    gaps = (
        log_gap.where(F.col("kind").isin(*(one for one in LINES_MISSING if one not in NORMAL)))
        .withColumns({"entity": F.concat_ws(", ", node, log), "since_at": F.coalesce("from_at", "until_at")})
        .where("since_at IS NOT NULL")
    )
    first = F.min(F.struct("since_at", "sentence", "certainty", "evidence")).alias("first")
    until = F.max(F.coalesce("until_at", "since_at")).alias("until_at")
    hour = hour_of("since_at").alias("hour_at")
    found = gaps.groupBy("cluster_id", "entity", "kind", hour).agg(first, until)
    words = F.concat_ws(", ", "entity", F.translate("kind", "_", " "))
    return found.select(
        "cluster_id", *rule("missing_logs", "info"), "entity",
        F.format_string("%s since %s", "kind", F.unix_seconds("hour_at")).alias("root_event"),
        F.lit(None).cast("string").alias("term_id"), F.col("first.since_at").alias("valid_from_at"),
        F.col("until_at").alias("valid_until_at"),
        F.concat_ws(": ", words, "first.sentence").alias("sentence"), "first.certainty", "first.evidence",
    )  # fmt: skip


def not_understood(wording_seen: DataFrame) -> DataFrame:
    """Records of the controller's logs whose wording no template names: what they say is missing everywhere else."""
    first = F.struct("file_id", F.col("first_offset").alias("byte_offset"))
    groups = (
        wording_seen.where("log IN ('controller', 'state-change') AND not_understood_reason IS NOT NULL")
        .groupBy("cluster_id", "not_understood_reason")
        .agg(
            F.sum("record_count").alias("records"),
            F.min("first_at").alias("valid_from_at"),
            kept(F.collect_list(first)).alias("lines"),
        )
    )
    sentence = F.format_string("%d record(s) not understood: %s", "records", "not_understood_reason")
    return groups.where("valid_from_at IS NOT NULL").select(
        "cluster_id", *rule("not_understood", "info"), F.lit("logs").alias("entity"),
        F.col("not_understood_reason").alias("root_event"), F.lit(None).cast("string").alias("term_id"),
        "valid_from_at", F.lit(None).cast("timestamp").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("proved").alias("certainty"), F.col("lines").alias("evidence"),
    )  # fmt: skip
