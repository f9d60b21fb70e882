"""The controller's requests to brokers, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.families import fed, field, field_text
from pipeline.model.lines.texts import (
    INT,
    LONG,
    PARTITION_REPLICA,
    broker_list,
    epoch,
    first,
    found,
    last_of_each,
    node_id_in,
    number,
    or_unread,
    part,
)
from schemas.silver.control_request import SPEC

# Which request a text is: its name in front, or (0.9 to 0.11) a field that only it has.
REQUEST_SIGNS = {
    "LEADER_AND_ISR": r"(?i)^.{0,24}leader_?and_?is|live_leaders=",
    "UPDATE_METADATA": r"(?i)^.{0,24}update_?metadata|live_brokers=",
    "STOP_REPLICA": r"(?i)^.{0,24}stop_?replica|delete_partitions=",
}
# {error_code=0,…}, …Data(errorCode=0, …), StopReplicaResponse(…, error=NONE), LeaderAndIsrResponse(7,…,0) of 0.8.
ERROR = (r"^[^=]*error_?[cC]ode=(-?\d+)", r"\berror=(\w+)\)$", r",(-?\d+)\)$")
# What an answer says of each partition, and which of it is no error.
PARTITION_ANSWER = r"error_?[cC]ode=-?[1-9]|-\d+(?:=| -> )[A-Z]|\) -> -?\d"
PARTITION_SUCCESS = r"-\d+(?:=| -> )NONE\b|\) -> 0\b"
# A partition in `StopReplicaPartitionState(…)` has its name beside it, one in `LeaderAndIsrPartitionState(…)` inside.
NAME = r"\btopicName='([^']+)'"
INDEX = r"\bpartitionIndex=(\d+)"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per partition of a line about a request, or one where the line is about a whole request.

    Source: ControllerChannelManager, KafkaController; ReplicaManager, MetadataCache, Partition; 0.8.2 to 3.9.
    """
    lines = fed(log_record, "control_request")
    names_replicas = col("field").is_not_null()
    about_one = lines.filter(~names_replicas).with_columns(**own_partition())
    about_several = lines.filter(names_replicas).pipe(
        last_of_each, replicas_of(field_text()), "topic", "partition"
    )
    return (
        pl.concat([about_one, about_several], how="diagonal")
        .with_columns(**of_request(), **of_broker(), **of_answer())
        .select(SPEC.columns)
    )


def own_partition() -> dict[str, pl.Expr]:
    """Topic and partition of the line, nulls where it has none."""
    state = when(col("topic").is_null() | col("partition").is_null()).then(field("partition_state"))
    return {
        "topic": pl.coalesce("topic", first(state, NAME)),
        "partition": pl.coalesce("partition", number(first(state, INDEX))),
    }


def replicas_of(text: pl.Expr) -> pl.Expr:
    """(topic, partition) of each replica in a list of them (up to 2.5)."""
    replicas = found(text, PARTITION_REPLICA, "topic", "partition", "replica")
    partitions = pl.struct(topic=part("topic"), partition=number(part("partition")))
    return or_unread(replicas.list.eval(partitions), text)


def of_request() -> dict[str, pl.Expr]:
    text = pl.coalesce(field("api_key"), field("request"), field("response"))
    signs = [when(text.str.contains(pattern)).then(lit(name)) for name, pattern in REQUEST_SIGNS.items()]
    delete = pl.coalesce(
        field("delete_partition"),
        first(field("partition_state"), r"\bdeletePartition=(true|false)"),
        first(col("template"), r"\(delete ?= ?(true|false)\)"),
    )
    counts = [number(field(name)) for name in ("partition_count", "replica_count")]
    sums = [
        number(number(field(one)).cast(LONG) + number(field(other)))
        for one, other in (("become_leader_count", "become_follower_count"), ("added_count", "deleted_count"))
    ]
    return {
        "request": pl.coalesce("kind", *signs),
        "is_delete": delete == "true",
        "partition_count": pl.coalesce(*counts, *sums),
        "leader_epoch": pl.coalesce("leader_epoch", epoch(field("request_leader_epoch"))),
        "correlation_id": pl.coalesce(
            "correlation_id", number(first(field("response"), r"^\w+Response\((\d+),"))
        ),
    }


def of_broker() -> dict[str, pl.Expr]:
    broker_epoch = pl.coalesce(field("broker_epoch"), first(field("request"), r"\bbrokerEpoch=(-?\d+)"))
    return {
        "broker_id": pl.coalesce("broker_id", node_id_in(field("broker_node"))),
        "broker_ids": when(col("step") == "sent").then(broker_list(field("broker_ids"))),
        "broker_epoch": number(broker_epoch, LONG),
        "known_epoch": number(pl.coalesce(field("known_controller_epoch"), field("current_leader_epoch"))),
        "elapsed_ms": number(field("elapsed_ms"), LONG),
    }


def of_answer() -> dict[str, pl.Expr]:
    """The error of the whole answer, and for how many partitions it has one beside."""
    response = field("response")
    error = pl.coalesce(field("error"), *(first(response, pattern) for pattern in ERROR)).replace("0", "NONE")
    by_partition = pl.coalesce(response, field("partition_errors"))
    answers, successes = (
        by_partition.str.count_matches(pattern).cast(INT) for pattern in (PARTITION_ANSWER, PARTITION_SUCCESS)
    )
    counts_itself = response.str.starts_with("{") | response.str.contains("ResponseData(", literal=True)
    is_own = (counts_itself & (error != "NONE")).fill_null(value=False)
    return {"error": error, "error_count": answers - successes - is_own.cast(INT)}
