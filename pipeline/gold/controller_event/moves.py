"""What a piece of work did with replicas and partitions, and whether in Kafka's order."""

from functools import reduce

import polars as pl
from polars import col, lit, when

from pipeline.gold.controller_event.pieces import LINE, PIECE

COUNTS = ("moves_count", "partitions_count", "elections_count", "failed_count")
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
    """One row per piece that moved something or set leaders, of the topics that are given; lines: lines_of_pieces().

    Columns: PIECE, COUNTS, triggers (structs of key and value, how often), steps (structs of step, and the order of its
    first and last line: since, until).
    """
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
        .group_by(*PIECE, key="trigger")
        .agg(value=pl.len().cast(pl.Int64))
        .group_by(PIECE)
        .agg(triggers=pl.struct("key", "value"))
    )
    return (
        partitions.join(counts, on=PIECE, how="left")
        .join(triggers, on=PIECE, how="left")
        .join(steps_of_moves(moves), on=PIECE, how="left")
    )


def steps_of_moves(moves: pl.DataFrame) -> pl.DataFrame:
    """(PIECE, steps) of moves that are steps of an arrival, a departure or a creation.

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
        .group_by(*PIECE, "step")
        .agg(since=col("order").min(), until=col("order").max())
        .group_by(PIECE)
        .agg(steps=pl.struct("step", "since", "until"))
    )


def with_moves(pieces: pl.DataFrame, work_piece: pl.DataFrame) -> pl.DataFrame:
    """Pieces with COUNTS, triggers and order_ok of all topics. work_piece: rows of moves_of_pieces() of some topics
    each. Rows in, rows out."""
    counts = work_piece.group_by(PIECE).agg(col(COUNTS).sum())
    triggers = (
        entries(work_piece, "triggers")
        .group_by(*PIECE, "key")
        .agg(col("value").sum())
        .sort(*PIECE, "key")
        .group_by(PIECE, maintain_order=True)
        .agg(triggers=pl.struct("key", "value"))
    )
    given = (counts, triggers, orders_of_steps(entries(work_piece, "steps")))
    return reduce(
        lambda rows, one: rows.join(one, on=PIECE, how="left", maintain_order="left"), given, pieces
    )


def entries(work_piece: pl.DataFrame, name: str) -> pl.DataFrame:
    """(PIECE, the fields of the structs in this list), one row per struct."""
    return work_piece.drop_nulls(name).select(*PIECE, name).explode(name).unnest(name)


def orders_of_steps(steps: pl.DataFrame) -> pl.DataFrame:
    """(PIECE, order_ok): whether the steps of arrivals, departures and creations follow one another; of pieces that
    show two steps at least."""
    is_behind = col("since") >= col("until").shift(1)
    return (
        steps.group_by(*PIECE, "step")
        .agg(col("since").min(), col("until").max())
        .sort(*PIECE, "step")
        .group_by(PIECE, maintain_order=True)
        .agg(order_ok=is_behind.all(), steps_count=pl.len())
        .filter(col("steps_count") > 1)
        .drop("steps_count")
    )
