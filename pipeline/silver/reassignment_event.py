"""Steps of reassignments, from bronze.log_record."""

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
    partitions,
)
from pipeline.kafka.families import fed, field_text
from schemas.silver.reassignment_event import SPEC

REQUESTED = "struct<partitions: array<struct<topic: string, partition: int, replicas: array<int>>>>"


def build(log_record: DataFrame) -> DataFrame:
    """One row per partition of a line about reassignments; collections are taken apart.

    Source: KafkaController, PartitionsReassignedListener, 0.8.2 to 3.9; ReplicationControlManager, from 3.0.
    """
    return (
        fed(log_record, "reassignment_event")
        .select("*", F.explode(named(field_text())).alias("one"))
        .drop("topic", "partition")
        .select("*", "one.*")
        .withColumns(replica_lists())
        .withColumn("target_replicas", target())
        .withColumns({"step": refined(), "reason": F.col("kind")})
        .select(*SPEC.columns)
    )


def named(text: Column) -> Column:
    """(topic, partition, wanted) of the record, or of each element of the collection that the feed names."""
    fields, field = F.col("fields"), F.col("field")
    own = one(
        F.coalesce("topic", fields["name"]),
        F.coalesce(
            "partition", number(fields["partition_index"]), number(first(text, r"\bpartitionId=(\d+)"))
        ),
    )
    of_map = F.transform(
        assignment_entries(text), lambda each: one(each["topic"], each["partition"], each["replicas"])
    )
    of_list = F.transform(partitions(text), lambda each: one(each["topic"], each["partition"]))
    of_json = F.coalesce(F.from_json(text, REQUESTED)["partitions"], F.array(F.lit(None)))
    of_request = F.transform(of_json, lambda each: one(each["topic"], each["partition"], each["replicas"]))
    all_of_them = (
        F.when(field.isNull() | F.col("topic").isNotNull(), F.array(own))
        .when(field == "data", of_request)
        .when((field != "errors") & text.contains(" -> "), or_unread(of_map, text))
        .otherwise(or_unread(of_list, text))
    )
    return last_of_each(all_of_them, "topic", "partition")


def one(topic: Column, partition: Column, wanted: Column | None = None) -> Column:
    nothing = F.lit(None).cast("array<int>")
    replicas = nothing if wanted is None else wanted
    return F.struct(topic.alias("topic"), partition.alias("partition"), replicas.alias("wanted"))


def replica_lists() -> dict[str, Column]:
    fields = F.col("fields")
    stated = F.coalesce(fields["new_assignment"], fields["replica_assignment"], fields["record"])
    before = fields["current_assignment"]
    return {
        "replicas": F.coalesce("replicas", listed(stated, "replicas")),
        "adding_replicas": listed(stated, "addingReplicas"),
        "removing_replicas": listed(stated, "removingReplicas"),
        "previous_replicas": F.coalesce(listed(before, "replicas"), broker_list(fields["previous_replicas"])),
        "lagging_replicas": broker_list(fields["lagging_replicas"]),
        "caught_up_count": number(fields["caught_up_count"]),
    }


def target() -> Column:
    """What the line names as target, else the assigned replicas that are not being removed."""
    fields = F.col("fields")
    kept = F.array_except("replicas", F.coalesce("removing_replicas", F.array().cast("array<int>")))
    return F.coalesce(
        "wanted", broker_list(F.coalesce(fields["target_replicas"], fields["new_replicas"])), kept
    )


def refined() -> Column:
    """From 2.4 one line begins, replaces and cancels: told by what was and what will be in progress."""
    was = is_changing(F.col("fields")["current_assignment"])
    will_be = is_changing(F.col("fields")["new_assignment"])
    return (
        F.when((F.col("step") == "started") & was & will_be, "overridden")
        .when((F.col("step") == "started") & was, "cancelled")
        .otherwise(F.col("step"))
    )
