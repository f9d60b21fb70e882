"""What server.log says of a node's connections, from bronze.log_record."""

import polars as pl
from polars import col

from pipeline.core.incremental import Incremental
from pipeline.model.brokers.connections import FAILED, OF_QUORUM, OF_REGISTRATION
from pipeline.model.lines.families import family_records, printed_field
from pipeline.model.lines.texts import node_id_in, number_in_text
from schemas.silver.connection_event import SPEC


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line about a connection that ended, and about each that could not be opened to a voter, or by a
    controller that registers: to other nodes that is told for hours, and says nothing that a table takes.

    Source: NetworkClient, FetchSessionHandler, AbstractFetcherThread, ClientCnxn, ZooKeeperClient (0.8.2 to 3.9), each
    as `source` in wording/by_mode says.
    """
    client = printed_field("client")
    is_of_quorum = client.str.starts_with(OF_QUORUM) | client.str.contains(OF_REGISTRATION)
    is_kept = (col("step") != FAILED) | is_of_quorum
    return (
        family_records(log_record, "connection_event")
        .filter(is_kept)
        .with_columns(
            peer="kind",
            peer_id=pl.coalesce(
                *(number_in_text(printed_field(name)) for name in ("to_node_id", "leader_id")),
                *(node_id_in(printed_field(name)) for name in ("broker_node", "peer")),
            ),
            client=client,
        )
        .select(SPEC.columns)
    )


INCREMENTAL = Incremental(is_taken_by_days=True)
