"""Terms of KRaft controllers whose own logs are missing, by what other controllers heard of the quorum."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

TERM = ("cluster_id", "controller_id", "controller_epoch")
NOT_SEEN = ("elected_at", "told_from_at", "told_until_at")


def heard_terms(controller_event: DataFrame, elected: DataFrame) -> DataFrame:
    """One row per leader epoch that another controller says a node leads of which no line was read: columns of
    silver.term; elected: (cluster_id, mode, life, elected_at, ...) of elections that were seen.

    Of a node whose lines were read it is known when it became active, and that it never did where none says so.
    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 2.8.
    """
    heard = heard_of(controller_event).alias("h")
    lives = (
        elected.where("mode = 'kraft'")
        .groupBy("cluster_id", "life")
        .agg(F.min("elected_at").alias("from_at"))
    )
    is_begun = F.col("l.from_at") <= F.col("first_seen_at")
    life = F.coalesce(F.max(F.when(is_begun, F.col("l.life"))), F.min("l.life"), F.lit(1))
    own = [f"h.{name}" for name in (*TERM, "first_seen_at", "last_seen_at", "line")]
    is_same = F.col("h.cluster_id") == F.col("l.cluster_id")
    return (
        heard.join(F.broadcast(lives).alias("l"), is_same, how="left")
        .groupBy(*own)
        .agg(life.alias("life"))
        .select(
            "*",
            F.concat_ws("-", "life", "controller_epoch").alias("term_id"),
            F.lit("kraft").alias("mode"),
            *(F.lit(None).cast("timestamp").alias(name) for name in NOT_SEEN),
            F.lit(False).alias("is_trace_seen"),
            F.lit("inferred").alias("certainty"),
            "line.file_id",
            "line.byte_offset",
        )
    )


def heard_of(controller_event: DataFrame) -> DataFrame:
    """(TERM, first_seen_at, last_seen_at, line: file_id, byte_offset) of leader epochs said to be of nodes without
    lines."""
    writers = controller_event.where("node_id IS NOT NULL").select(
        "cluster_id", F.col("node_id").alias("controller_id")
    )
    line = F.struct("file_id", "byte_offset")
    return (
        controller_event.where(
            "step = 'observed' AND active_controller_id IS NOT NULL AND controller_epoch IS NOT NULL"
        )
        .withColumn("controller_id", F.col("active_controller_id"))
        .join(F.broadcast(writers.distinct()), on=list(TERM[:2]), how="left_anti")
        .groupBy(*TERM)
        .agg(
            F.min("logged_at").alias("first_seen_at"),
            F.max("logged_at").alias("last_seen_at"),
            F.min_by(line, F.struct("logged_at", "file_id", "byte_offset")).alias("line"),
        )
    )
