"""Steps in the life of controllers, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import epoch, first, number
from pipeline.kafka.families import fed, field_text
from schemas.silver.controller_event import SPEC

RENOUNCING = "Renouncing leadership"


def build(log_record: DataFrame) -> DataFrame:
    """One row per line about a controller's own life.

    A KRaft controller also renounces inside an event that failed; the line says so behind the cause.
    Source: KafkaController, ZookeeperLeaderElector, 0.8.2 to 3.9; QuorumController, from 2.8; QuorumState.
    """
    fields = F.col("fields")
    clauses = F.concat_ws("", fields["renounce_clause"], fields["message_clause"])
    is_renouncing = clauses.contains(RENOUNCING)
    leader = F.coalesce(fields["active_controller_id"], fields["quorum_leader"])
    return (
        fed(log_record, "controller_event")
        .withColumn("area", F.when(is_renouncing, "end").otherwise(F.col("kind")))
        .withColumn("step", F.when(is_renouncing, "renounced").otherwise(F.col("step")))
        .withColumn("controller_id", F.coalesce("controller_id", "broker_id"))
        .withColumn("controller_epoch", F.coalesce(*epochs()))
        .withColumn("active_controller_id", number(first(leader, r"(\d+)")))
        .withColumn("detail", F.nullif(field_text(), F.lit("")))
        .select(*SPEC.columns)
    )


def epochs() -> tuple[Column, ...]:
    """Where the epoch may stand, the one that a renouncing controller led first."""
    fields = F.col("fields")
    return (
        epoch(fields["claim_epoch"]),
        F.col("controller_epoch"),
        epoch(first(fields["at_epoch_clause"], r"(\d+)")),
        epoch(first(F.when(F.col("kind") == "quorum", field_text()), r"\bepoch=(\d+)")),
    )
