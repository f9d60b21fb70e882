"""What a piece of work did with replicas and partitions, and whether in Kafka's order."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.controller_event.pieces import LINE, PIECE

REPLICA, PARTITION = "replica", "partition"
ARRIVAL, DEPARTURE = "KafkaController.onBrokerStartup", "KafkaController.onReplicasBecomeOffline"
CREATION = "KafkaController.onNewPartitionCreation"
# By what happened: Kafka's method, and its steps in order, each a machine and the state that it moves to.
STEPS = {
    "arrival": (ARRIVAL, ((REPLICA, "OnlineReplica"), (PARTITION, "OnlinePartition"))),
    "departure": (
        DEPARTURE,
        ((PARTITION, "OfflinePartition"), (PARTITION, "OnlinePartition"), (REPLICA, "OfflineReplica")),
    ),
    "creation": (
        CREATION,
        (
            (PARTITION, "NewPartition"),
            (REPLICA, "NewReplica"),
            (PARTITION, "OnlinePartition"),
            (REPLICA, "OnlineReplica"),
        ),
    ),
}
# In one event a topic that dies makes its own moves between those of the others.
DYING = "^ReplicaDeletion"


def moves_of_pieces(
    lines: pl.DataFrame, transition_audit: pl.DataFrame, leader_and_isr: pl.DataFrame
) -> pl.DataFrame:
    """(PIECE, counts, triggers, order_ok) of the pieces that moved something or set leaders; lines:
    lines_of_pieces()."""
    own = lines.select(*PIECE, "file_id", "byte_offset", "opened_kind", "opened_occasion", order="seq")
    moves = transition_audit.select(
        *LINE,
        *("machine", "topic", "partition", "replica_id", "from_state", "to_state", "outcome", "trigger"),
    ).join(own, on=LINE)
    to_online = (col("machine") == PARTITION) & (col("to_state") == "OnlinePartition")
    set_in = leader_and_isr.select(*LINE, "topic", "partition").join(own, on=LINE)
    named = pl.concat([one.select(*PIECE, "topic", "partition") for one in (moves, set_in)])
    partitions = named.drop_nulls().unique().group_by(PIECE).agg(partitions_count=pl.len().cast(pl.Int64))
    counts = moves.group_by(PIECE).agg(
        moves_count=pl.len().cast(pl.Int64),
        elections_count=(to_online & (col("outcome") == "done")).sum().cast(pl.Int64),
        failed_count=(col("outcome") == "failed").sum().cast(pl.Int64),
    )
    triggers = (
        moves.drop_nulls("trigger")
        .group_by(*PIECE, "trigger")
        .agg(count=pl.len().cast(pl.Int64))
        .sort(*PIECE, "trigger")
        .group_by(PIECE, maintain_order=True)
        .agg(triggers=pl.struct(key="trigger", value="count"))
    )
    return (
        partitions.join(counts, on=PIECE, how="left")
        .join(triggers, on=PIECE, how="left")
        .join(orders_of_moves(moves), on=PIECE, how="left")
    )


def orders_of_moves(moves: pl.DataFrame) -> pl.DataFrame:
    """(PIECE, order_ok): whether the steps of arrivals, departures and creations follow one another; of pieces that
    show two steps at least.

    Source: KafkaController.onBrokerStartup, onReplicasBecomeOffline, onNewPartitionCreation, 0.11 to 3.9.
    """
    occasion = when(col("opened_kind") == "PartitionModifications").then(lit("creation"))
    step = pl.coalesce(
        *(
            when(
                occasion.otherwise("opened_occasion") == of,
                col("trigger") == method,
                col("machine") == machine,
                col("to_state") == state,
            ).then(lit(place))
            for of, (method, steps) in STEPS.items()
            for place, (machine, state) in enumerate(steps)
        )
    )
    return (
        moves.filter(~col("from_state").str.contains(DYING).fill_null(value=False))
        .with_columns(step=step)
        .drop_nulls("step")
        .sort(*PIECE, "order")
        .group_by(PIECE, maintain_order=True)
        .agg(order_ok=(col("step").diff().fill_null(0) >= 0).all(), steps_count=col("step").n_unique())
        .filter(col("steps_count") > 1)
        .drop("steps_count")
    )
