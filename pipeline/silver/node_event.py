"""What server.log says of a node itself, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.families import fed, field, field_text
from pipeline.model.lines.texts import LONG, epoch, first, node_id_in, number
from schemas.silver.node_event import SPEC

# Prefixes of the parts of a process: `[BrokerServer id=1] `, up to 0.11 `[Kafka Server 1], `.
OF_BROKER, OF_CONTROLLER = (
    r"^\[(?:BrokerServer|KafkaServer|Kafka Server|ReplicaManager) ",
    r"^\[ControllerServer ",
)


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line about the node that writes it.

    Source: KafkaServer, BrokerServer, ControllerServer, ReplicaManager, LogManager, KafkaRaftClient, NetworkClient,
    ZooKeeperClient (0.8.2 to 3.9), each as `source` in wording/by_mode says.
    """
    component = (
        when(col("template").str.contains(OF_BROKER)).then(lit("broker"))
        .when(col("template").str.contains(OF_CONTROLLER)).then(lit("controller"))
    )  # fmt: skip
    peers = (number(field("to_node_id")), number(field("leader_id")), number(field("follower_id")))
    return (
        fed(log_record, "node_event")
        .with_columns(
            area="kind",
            component=component,
            peer_id=pl.coalesce(*peers, number(field("voter_id")), node_id_in(field("broker_node"))),
            quorum_epoch=pl.coalesce(epoch(field("epoch")), epoch(first(field("epoch_election"), r"(\d+)"))),
            broker_epoch=number(field("broker_epoch"), LONG),
            session_id=field("session_id"),
            owner_session_id=field("owner_session_id"),
            log_dir=pl.coalesce(field("log_dir"), when(col("kind") == "disk").then(field("path"))),
            detail=field_text().replace("", None),
        )
        .select(SPEC.columns)
    )
