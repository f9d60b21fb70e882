"""Statements about leader, ISR and assignment, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import assignment_entries, broker_list, last_of_each
from pipeline.kafka.families import fed, field_text
from schemas.silver.leader_and_isr import SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per partition that a line makes a statement about.

    Rows: a line about one partition gives one; New topics / New partitions lines one per partition.
    Lines that only ask for a leader (leader named by a request to a broker about another matter) keep what they say.
    """
    is_said = F.col("leader").isNotNull() | F.col("isr").isNotNull() | F.col("replicas").isNotNull()
    return (
        fed(log_record, "leader_and_isr")
        .withColumnRenamed("kind", "teller")
        .select("*", F.explode(stated()).alias("one"))
        .drop("topic", "partition", "replicas")
        .select("*", "one.*")
        .where(F.col("topic").isNotNull() & F.col("partition").isNotNull() & is_said)
        .select(*SPEC.columns)
    )


def stated() -> Column:
    """(topic, partition, replicas) of the record, or of each entry of the collection that the feed names."""
    replicas = F.coalesce("replicas", broker_list(field_text())).alias("replicas")
    entries = F.transform(
        assignment_entries(field_text()),
        lambda one: F.struct(one["topic"], one["partition"], one["replicas"]),
    )
    own = F.array(F.struct("topic", "partition", replicas))
    return last_of_each(F.when(F.col("topic").isNotNull(), own).otherwise(entries), "topic", "partition")
