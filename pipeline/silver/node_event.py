"""What server.log says of a node itself, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.core.incremental import Incremental
from pipeline.model.brokers.connections import OF_QUORUM
from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import LONG, epoch_in_text, first_match, node_id_in, number_in_text
from schemas.silver.node_event import SPEC

# Prefixes of the parts of a process: `[BrokerServer id=1] `, up to 0.11 `[Kafka Server 1], `.
OF_BROKER, OF_CONTROLLER = (
    r"^\[(?:BrokerServer|KafkaServer|Kafka Server|ReplicaManager) ",
    r"^\[ControllerServer ",
)
# Whom a request of the quorum was for, and who answered it; up to 3.7 as id alone.
DESTINATION = r"destination(?:Id=|=[^ ]* \(id: )(-?\d+)"
SOURCE = r"source(?:Id=|=[^ ]* \(id: )(-?\d+)"
KEY = r"ReplicaKey\(id=(-?\d+)"
# Files of a log directory, and of the directory of a partition in it, whose paths lines print instead of its own.
FILE_IN_DIR = r"[/\\](?:[\w-]+-offset-checkpoint|meta\.properties)(?:\.tmp)?$"
FILE_OF_PARTITION = r"[/\\][^/\\]+[/\\](?:leader-epoch-checkpoint|partition\.metadata)(?:\.tmp)?$"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line about the node that writes it. Of connections that are refused those to the quorum alone: of
    clients that are refused a broker prints them for years.

    Source: KafkaServer, BrokerServer, ControllerServer, ReplicaManager, LogManager, KafkaRaftClient, NetworkClient,
    ZooKeeperClient (0.8.2 to 3.9), each as `source` in wording/by_mode says.
    """
    component = (
        when(col("template").str.contains(OF_BROKER)).then(lit("broker"))
        .when(col("template").str.contains(OF_CONTROLLER)).then(lit("controller"))
    )  # fmt: skip
    peers = [
        number_in_text(printed_field(name)) for name in ("to_node_id", "leader_id", "follower_id", "voter_id")
    ]
    of_quorum = (
        first_match(printed_field("voter_key"), KEY),
        first_match(printed_field("request"), DESTINATION),
        first_match(printed_field("response"), SOURCE),
    )
    is_of_node = (col("kind") != "connection") | printed_field("client").str.starts_with(OF_QUORUM)
    is_logged_fault = printed_field("fault_type").is_not_null()
    fault = pl.concat_str(printed_field("fault_type"), lit(": "), printed_field("fault_message"))
    return (
        family_records(log_record, "node_event")
        .filter(is_of_node)
        .with_columns(
            area="kind",
            step=when(is_granted_in_part()).then(lit("remaining")).otherwise("step"),
            component=component,
            peer_id=pl.coalesce(
                *peers,
                *(number_in_text(one) for one in of_quorum),
                *(node_id_in(printed_field(name)) for name in ("broker_node", "peer")),
            ),
            quorum_epoch=epoch_in_text(printed_field("epoch")),
            broker_epoch=number_in_text(printed_field("broker_epoch"), LONG),
            session_id=printed_field("session_id"),
            owner_session_id=printed_field("owner_session_id"),
            detail=when(is_logged_fault)
            .then(fault)
            .otherwise(pl.coalesce(field_text(), printed_field("error_number")))
            .replace("", None),
            log_dir=log_dir(),
            future_partitions=printed_field("future_topic_partitions").replace("", None),
        )
        .select(SPEC.columns)
    )


def is_granted_in_part() -> pl.Expr:
    """`Error code from controller: 0` is none: partitions remain. Source: KafkaServer.controlledShutdown, to 3.0."""
    return (col("step") == "refused") & pl.coalesce(
        printed_field("error"), printed_field("error_number")
    ).is_in(["0", "NONE"])


def log_dir() -> pl.Expr:
    """The directory that holds the file where a line about disks names that one: its checkpoints, its identity."""
    path = pl.coalesce(printed_field("log_dir"), when(col("kind") == "disk").then(printed_field("path")))
    return path.str.replace(FILE_OF_PARTITION, "").str.replace(FILE_IN_DIR, "")


INCREMENTAL = Incremental(is_taken_whole=True)
