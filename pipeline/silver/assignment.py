"""Statements about assigned replicas, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import (
    assignment_entries,
    broker_list,
    first,
    is_changing,
    last_of_each,
    listed,
    number,
    or_unread,
)
from pipeline.kafka.families import fed, field_text
from schemas.silver.assignment import SPEC

ZNODE = "struct<partitions: map<string, array<int>>>"
STATED = ("topic", "partition", "replicas", "adding_replicas", "removing_replicas")


def build(log_record: DataFrame) -> DataFrame:
    """One row per partition that a line states replicas of; collections are taken apart.

    Source: KafkaController, PartitionStateMachine, 0.8.2 to 3.9; ReplicationControlManager, Partition from 2.8.
    """
    text = field_text()
    fields = F.col("fields")
    previous = F.coalesce(
        listed(fields["current_assignment"], "replicas"), broker_list(fields["previous_replicas"])
    )
    return (
        fed(log_record, "assignment")
        # Of a struct in a list: what merely stands beside explode is computed anew for each of its rows.
        .select(
            "*",
            F.inline(
                F.array(
                    F.struct(
                        previous.alias("previous_replicas"),
                        is_changing(fields["current_assignment"]).alias("was_changing"),
                        F.coalesce(fields["topic_id"], first(text, r"\btopicId=([\w-]+)")).alias("topic_id"),
                    )
                )
            ),
        )
        .select("*", F.explode(stated(text)).alias("one"))
        .drop("topic", "partition", "replicas")
        .select("*", "one.*")
        .withColumn("step", refined())
        .select(*SPEC.columns)
    )


def stated(text: Column) -> Column:
    """(topic, partition, replicas, adding, removing) of each partition that the line states."""
    many = or_unread(assignment_entries(text), text)
    is_named = F.col("topic").isNotNull() | F.col("partition").isNotNull()
    all_of_them = (
        F.when(is_named, F.array(of_one(text))).when(text.startswith("{"), of_znode(text)).otherwise(many)
    )
    return last_of_each(all_of_them, "topic", "partition")


def of_one(text: Column) -> Column:
    """What a line about one partition states: a list (up to 2.3), an assignment, a record or a registration."""
    bare = F.when(~text.contains("eplicas="), broker_list(text))
    values = (
        F.col("topic"),
        F.coalesce("partition", number(first(text, r"\bpartitionId=(\d+)"))),
        F.coalesce("replicas", listed(text, "replicas"), bare),
        listed(text, "addingReplicas"),
        listed(text, "removingReplicas"),
    )
    return F.struct(*(value.alias(name) for value, name in zip(values, STATED, strict=True)))


def of_znode(text: Column) -> Column:
    """`{"version":1,"partitions":{"0":[1,2]}}` of /brokers/topics/<topic>, up to 1.0."""
    topic = first(F.col("fields")["zk_path"], r"([^/]+)$").alias("topic")
    nothing = F.lit(None).cast("array<int>")
    return F.transform(
        F.map_entries(F.from_json(text, ZNODE)["partitions"]),
        lambda one: F.struct(
            topic,
            number(one["key"]).alias("partition"),
            one["value"].alias("replicas"),
            nothing.alias("adding_replicas"),
            nothing.alias("removing_replicas"),
        ),
    )


def refined() -> Column:
    """updating back from a change is cancelled; updated with nothing to add or remove is settled."""
    is_settled = (F.size("adding_replicas") == 0) & (F.size("removing_replicas") == 0)
    return (
        F.when((F.col("step") == "updating") & F.col("was_changing") & is_settled, "cancelled")
        .when((F.col("step") == "updated") & is_settled, "settled")
        .otherwise(F.col("step"))
    )
