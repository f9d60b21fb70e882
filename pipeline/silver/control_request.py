"""The controller's requests to brokers, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import (
    INT,
    LONG,
    PARTITION_REPLICA,
    broker_list,
    element_field,
    epoch_in_text,
    explode_elements,
    first_match,
    matched_groups,
    node_id_in,
    number_in_text,
    or_unread,
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
    lines = family_records(log_record, "control_request")
    names_replicas = col("field").is_not_null()
    about_one = lines.filter(~names_replicas).with_columns(**request_partition())
    about_several = lines.filter(names_replicas).pipe(
        explode_elements, replicas_of(field_text()), "topic", "partition"
    )
    return (
        pl.concat([about_one, about_several], how="diagonal")
        .with_columns(**of_request(), **of_broker(), **of_answer())
        .select(SPEC.columns)
    )


def request_partition() -> dict[str, pl.Expr]:
    """Topic and partition of the line, nulls where it has none."""
    state = when(col("topic").is_null() | col("partition").is_null()).then(printed_field("partition_state"))
    return {
        "topic": pl.coalesce("topic", first_match(state, NAME)),
        "partition": pl.coalesce("partition", number_in_text(first_match(state, INDEX))),
    }


def replicas_of(text: pl.Expr) -> pl.Expr:
    """(topic, partition) of each replica in a list of them (up to 2.5)."""
    replicas = matched_groups(text, PARTITION_REPLICA, "topic", "partition", "replica")
    partitions = pl.struct(topic=element_field("topic"), partition=number_in_text(element_field("partition")))
    return or_unread(replicas.list.eval(partitions), text)


def of_request() -> dict[str, pl.Expr]:
    text = pl.coalesce(printed_field("api_key"), printed_field("request"), printed_field("response"))
    signs = [when(text.str.contains(pattern)).then(lit(name)) for name, pattern in REQUEST_SIGNS.items()]
    delete = pl.coalesce(
        printed_field("delete_partition"),
        first_match(printed_field("partition_state"), r"\bdeletePartition=(true|false)"),
        first_match(col("template"), r"\(delete ?= ?(true|false)\)"),
    )
    counts = [number_in_text(printed_field(name)) for name in ("partition_count", "replica_count")]
    sums = [
        number_in_text(number_in_text(printed_field(one)).cast(LONG) + number_in_text(printed_field(other)))
        for one, other in (("become_leader_count", "become_follower_count"), ("added_count", "deleted_count"))
    ]
    return {
        "request": pl.coalesce("kind", *signs),
        "is_delete": delete == "true",
        "partition_count": pl.coalesce(*counts, *sums),
        "leader_epoch": pl.coalesce("leader_epoch", epoch_in_text(printed_field("request_leader_epoch"))),
        "correlation_id": pl.coalesce(
            "correlation_id", number_in_text(first_match(printed_field("response"), r"^\w+Response\((\d+),"))
        ),
    }


def of_broker() -> dict[str, pl.Expr]:
    broker_epoch = pl.coalesce(
        printed_field("broker_epoch"), first_match(printed_field("request"), r"\bbrokerEpoch=(-?\d+)")
    )
    return {
        "broker_id": pl.coalesce("broker_id", node_id_in(printed_field("broker_node"))),
        "broker_ids": when(col("step") == "sent").then(broker_list(printed_field("broker_ids"))),
        "broker_epoch": number_in_text(broker_epoch, LONG),
        "known_epoch": number_in_text(
            pl.coalesce(printed_field("known_controller_epoch"), printed_field("current_leader_epoch"))
        ),
        "elapsed_ms": number_in_text(printed_field("elapsed_ms"), LONG),
    }


def of_answer() -> dict[str, pl.Expr]:
    """The error of the whole answer, and for how many partitions it has one beside."""
    response = printed_field("response")
    error = pl.coalesce(
        printed_field("error"), *(first_match(response, pattern) for pattern in ERROR)
    ).replace("0", "NONE")
    by_partition = pl.coalesce(response, printed_field("partition_errors"))
    answers, successes = (
        by_partition.str.count_matches(pattern).cast(INT) for pattern in (PARTITION_ANSWER, PARTITION_SUCCESS)
    )
    counts_itself = response.str.starts_with("{") | response.str.contains("ResponseData(", literal=True)
    is_own = (counts_itself & (error != "NONE")).fill_null(value=False)
    return {"error": error, "error_count": answers - successes - is_own.cast(INT)}
