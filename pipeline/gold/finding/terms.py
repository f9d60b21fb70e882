"""Rules on terms of controllers."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import controller_name, rule


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
