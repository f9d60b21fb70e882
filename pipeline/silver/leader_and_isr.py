"""Statements about leader, ISR and assignment, from bronze.log_record."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import assignment_entries, broker_list
from schemas.silver.leader_and_isr import SPEC

STATED_MANY = ("topic_change", "partitions_to_be_added")
REASSIGNED = "reassignment_assignment_updated"


def build(log_record: DataFrame) -> DataFrame:
    """One row per partition that a line makes a statement about.

    Rows: a line about one partition gives one; New topics / New partitions lines one per partition.
    Lines that only ask for a leader (leader named by a request to a broker about another matter) keep what they say.
    """
    return stated_one(log_record).unionByName(stated_many(log_record))


def stated_one(log_record: DataFrame) -> DataFrame:
    is_said = F.coalesce(
        F.col("leader").isNotNull() | F.col("isr").isNotNull() | F.col("replicas").isNotNull(), F.lit(False)
    )
    reassigned_to = F.when(F.col("event") == REASSIGNED, broker_list(F.col("fields")["new_replicas"]))
    return (
        log_record.withColumn("replicas", F.coalesce(F.col("replicas"), reassigned_to))
        .where("topic IS NOT NULL AND partition IS NOT NULL AND logged_at IS NOT NULL")
        .where(is_said | (F.col("event") == REASSIGNED))
        .withColumn("teller", F.when(F.col("event").startswith("broker_"), "broker").otherwise("controller"))
        .select(*SPEC.columns)
    )


def stated_many(log_record: DataFrame) -> DataFrame:
    entry = F.explode(assignment_entries(F.col("fields")["replica_assignment"]))
    nothing = F.lit(None)
    return (
        log_record.where(F.col("event").isin(*STATED_MANY) & F.col("logged_at").isNotNull())
        .drop("topic", "partition", "replicas", "leader", "isr", "leader_epoch")
        .select("*", entry.alias("entry"))
        .select(
            "*",
            "entry.topic",
            "entry.partition",
            "entry.replicas",
            nothing.cast("int").alias("leader"),
            nothing.cast("int").alias("leader_epoch"),
            nothing.cast("array<int>").alias("isr"),
            F.lit("controller").alias("teller"),
        )
        .select(*SPEC.columns)
    )
