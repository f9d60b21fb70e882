"""Stays of brokers among the unfenced ones of a KRaft cluster, by the decisions of controllers in office."""

from datetime import datetime

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.kraft_offices import in_office

BROKER = ("cluster_id", "broker_id")
BACK = "unfence_granted"
REQUESTED = "controlled_shutdown_granted"
SHUT_DOWN = "shutdown_granted"
GONE = (SHUT_DOWN, "session_timed_out", "fence_granted")
DECISION = ("at", "step", "term_id", "file_id", "byte_offset")


def kraft_sessions(
    broker_event: DataFrame, term: DataFrame, seeds: DataFrame, cut: datetime | None
) -> DataFrame:
    """One row per stay: from the decision to unfence a broker until the one that fences it; one that is unfenced once
    more before was another process by then. What a log that is replayed says again is no decision.

    seeds: rows of gold.broker_session that begin before the cut, the last one of each broker among them: one that is
    fenced may be fenced again.
    Source: BrokerHeartbeatManager, ReplicationControlManager.handleBrokerFenced, handleBrokerUnfenced, from 2.8.
    """
    decided = broker_event.where("said_by = 'decision' AND broker_id IS NOT NULL").where(
        F.col("step").isin(BACK, *GONE)
    )
    known = seeds.where("mode = 'kraft'")
    is_over = F.col("left_at") < F.lit(cut).cast("timestamp")
    first, last = F.col("evidence")[0], F.element_at("evidence", -1)
    begun = known.select(
        *BROKER, F.col("joined_at").alias("at"), F.lit(BACK).alias("step"), "term_id", "broker_epoch", "joined_how",
        first["file_id"].alias("file_id"), first["byte_offset"].alias("byte_offset"),
    )  # fmt: skip
    over = known.where(is_over).select(
        *BROKER,
        F.col("left_at").alias("at"),
        F.lit(SHUT_DOWN).alias("step"),
        last["file_id"].alias("file_id"),
        last["byte_offset"].alias("byte_offset"),
    )
    return (
        in_office(decided, term)
        .select(*BROKER, *DECISION, "broker_epoch")
        .unionByName(begun, allowMissingColumns=True)
        .unionByName(over, allowMissingColumns=True)
        .transform(with_strangers)
        .transform(stays)
    )


def with_strangers(decided: DataFrame) -> DataFrame:
    """A broker of which the first that is decided is that it is out was in until then."""
    order = Window.partitionBy(*BROKER).orderBy("at", "file_id", "byte_offset")
    first = decided.withColumn("is_first", F.row_number().over(order) == 1).where("is_first")
    before = first.where(F.col("step") != BACK).withColumns(
        {"step": F.lit(BACK), "byte_offset": F.col("byte_offset") - 1, "joined_how": F.lit("before_data")}
    )
    return decided.unionByName(before.drop("is_first"))


def stays(decided: DataFrame) -> DataFrame:
    order = Window.partitionBy(*BROKER).orderBy("at", "file_id", "byte_offset")
    was_in = F.coalesce(F.lag("step").over(order) == BACK, F.lit(False))
    is_stranger = F.coalesce(F.col("joined_how") == "before_data", F.lit(False))
    own = F.when(~is_stranger, F.struct("file_id", "byte_offset"))
    end = F.col("end")
    left_how = (
        F.when(end["step"] == SHUT_DOWN, "controlled")
        .when(end["step"] == BACK, "bounced")
        .when(end.isNotNull(), "uncontrolled")
    )
    return (
        decided.withColumn("was_in", was_in)
        .withColumn("end", F.lead(F.struct(*DECISION)).over(order))
        .where(F.col("step") == BACK)
        .withColumn("left_how", left_how)
        .select(
            *BROKER,
            F.lit("kraft").alias("mode"),
            "broker_epoch",
            F.col("at").alias("joined_at"),
            F.coalesce("joined_how", F.when(F.col("was_in"), "bounced").otherwise("joined")).alias(
                "joined_how"
            ),
            end["at"].alias("left_at"),
            "left_how",
            "term_id",
            end["term_id"].alias("left_term_id"),
            F.lit(None).cast("long").alias("left_event_seq"),
            F.when(F.col("left_how") == "bounced", "inferred").otherwise("proved").alias("certainty"),
            F.array_compact(
                F.array(own, F.when(end.isNotNull(), F.struct(end["file_id"], end["byte_offset"])))
            ).alias("evidence"),
        )
    )
