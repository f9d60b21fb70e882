"""The controller's requests to brokers, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import (
    PARTITION_REPLICA,
    broker_list,
    epoch,
    first,
    found,
    last_of_each,
    node_id_in,
    number,
    or_unread,
)
from pipeline.kafka.families import fed, field_text
from schemas.silver.control_request import SPEC

# Which request a text is: its name in front, or (0.9 to 0.11) a field that only it has.
REQUEST_SIGNS = {
    "LEADER_AND_ISR": r"(?i)^.{0,24}leader_?and_?is|live_leaders=",
    "UPDATE_METADATA": r"(?i)^.{0,24}update_?metadata|live_brokers=",
    "STOP_REPLICA": r"(?i)^.{0,24}stop_?replica|delete_partitions=",
}
# {error_code=0,…}, …Data(errorCode=0, …), StopReplicaResponse(…, error=NONE), LeaderAndIsrResponse(7,…,0) of 0.8.
ERROR = (r"^[^=]*error_?[cC]ode=(-?\d+)", r"\berror=(\w+)\)$", r",(-?\d+)\)$")
PARTITION_ERROR = r"error_?[cC]ode=-?[1-9]|-\d+(?:=| -> )(?!NONE\b)[A-Z]|\) -> (?!0\b)-?\d"
# A partition in `StopReplicaPartitionState(…)` has its name beside it, one in `LeaderAndIsrPartitionState(…)` inside.
NAME = r"\btopicName='([^']+)'"
INDEX = r"\bpartitionIndex=(\d+)"


def build(log_record: DataFrame) -> DataFrame:
    """One row per partition of a line about a request, or one where the line is about a whole request.

    Source: ControllerChannelManager, KafkaController; ReplicaManager, MetadataCache, Partition; 0.8.2 to 3.9.
    """
    text = field_text()
    return (
        fed(log_record, "control_request")
        .select("*", F.explode(objects(text)).alias("one"))
        .drop("topic", "partition")
        .select("*", "one.*")
        .withColumns(of_request() | of_broker() | of_answer())
        .select(*SPEC.columns)
    )


def objects(text: Column) -> Column:
    """(topic, partition) of the line, nulls where it has none; of each replica in a list of them (up to 2.5)."""
    state = F.col("fields")["partition_state"]
    own = F.struct(
        F.coalesce("topic", first(state, NAME)).alias("topic"),
        F.coalesce("partition", number(first(state, INDEX))).alias("partition"),
    )
    replicas = F.transform(
        found(text, PARTITION_REPLICA, "topic", "partition", "replica"),
        lambda one: F.struct(one["topic"].alias("topic"), number(one["partition"]).alias("partition")),
    )
    all_of_them = F.when(F.col("field").isNull(), F.array(own)).otherwise(or_unread(replicas, text))
    return last_of_each(all_of_them, "topic", "partition")


def of_request() -> dict[str, Column]:
    fields = F.col("fields")
    text = F.coalesce(fields["api_key"], fields["request"], fields["response"])
    signs = [F.when(text.rlike(pattern), name) for name, pattern in REQUEST_SIGNS.items()]
    delete = F.coalesce(
        fields["delete_partition"],
        first(fields["partition_state"], r"\bdeletePartition=(true|false)"),
        first(F.col("template"), r"\(delete ?= ?(true|false)\)"),
    )
    counts = [number(fields[name]) for name in ("partition_count", "replica_count")]
    sums = [
        F.try_add(number(fields[one]), number(fields[other]))
        for one, other in (("become_leader_count", "become_follower_count"), ("added_count", "deleted_count"))
    ]
    return {
        "request": F.coalesce("kind", *signs),
        "is_delete": delete.cast("boolean"),
        "partition_count": F.coalesce(*counts, *sums),
        "leader_epoch": F.coalesce("leader_epoch", epoch(fields["request_leader_epoch"])),
        "correlation_id": F.coalesce(
            "correlation_id", number(first(fields["response"], r"^\w+Response\((\d+),"))
        ),
    }


def of_broker() -> dict[str, Column]:
    fields = F.col("fields")
    broker_epoch = F.coalesce(fields["broker_epoch"], first(fields["request"], r"\bbrokerEpoch=(-?\d+)"))
    return {
        "broker_id": F.coalesce("broker_id", node_id_in(fields["broker_node"])),
        "broker_ids": F.when(F.col("step") == "sent", broker_list(fields["broker_ids"])),
        "broker_epoch": number(broker_epoch, "bigint"),
        "known_epoch": number(F.coalesce(fields["known_controller_epoch"], fields["current_leader_epoch"])),
        "elapsed_ms": number(fields["elapsed_ms"], "bigint"),
    }


def of_answer() -> dict[str, Column]:
    """The error of the whole answer, and for how many partitions it has one beside."""
    fields = F.col("fields")
    response = fields["response"]
    said = F.coalesce(fields["error"], *(first(response, pattern) for pattern in ERROR))
    error = F.when(said == "0", "NONE").otherwise(said)
    by_partition = F.coalesce(response, fields["partition_errors"])
    is_counted = response.startswith("{") | response.contains("ResponseData(")
    own = F.when(is_counted & (error != "NONE"), 1).otherwise(0)
    errors = F.regexp_extract_all(by_partition, F.lit(f"(?:{PARTITION_ERROR})"), F.lit(0))
    return {"error": error, "error_count": F.size(errors) - own}
