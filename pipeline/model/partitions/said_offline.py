"""Partitions of which a controller says that nobody can lead them, though it moves none of them."""

import polars as pl
from polars import col, lit

OFFLINE = "OfflinePartition"
PLACE = ("file_id", "byte_offset", "topic", "partition")


def said_offline(partition_transition: pl.DataFrame, state_dump: pl.DataFrame) -> pl.DataFrame:
    """(file_id, byte_offset, event, topic, partition, state) of partitions of which a controller says that they are
    Offline: it fails to elect a leader, or lists the states with which its machine starts. A controller that starts
    after the brokers of a partition are gone says no more of it at INFO.

    Source: PartitionStateMachine.startup, which prints the list after it has tried to elect, 0.8.0 to 3.9.
    """
    is_failed = (col("outcome") == "failed") & (col("from_state") == OFFLINE)
    is_listed = (col("machine") == "partition") & (col("state") == OFFLINE)
    return pl.concat(
        [
            partition_transition.filter(is_failed).select(*PLACE, event=lit("partition_transition")),
            state_dump.filter(is_listed).select(*PLACE, event=lit("partition_state_machine_started")),
        ]
    ).with_columns(state=lit(OFFLINE))
