"""Partitions of which a controller says whether anybody can lead them, though it moves none of them."""

import polars as pl
from polars import col, lit

OFFLINE, ONLINE = "OfflinePartition", "OnlinePartition"
NOBODY = -1
STARTED = "partition_state_machine_started"
PLACE = ("file_id", "byte_offset", "topic", "partition")


def offline_statements(partition_transition: pl.DataFrame, state_dump: pl.DataFrame) -> pl.DataFrame:
    """(file_id, byte_offset, event, topic, partition, state) of partitions of which a controller says that they are
    Offline: it fails to elect a leader, or lists the states with which its machine starts; and of those that it lists
    as Online. A controller that starts says no more at INFO of a partition whose brokers are gone, nor of one whose
    leader is back.

    Source: PartitionStateMachine.startup, which prints the list after it has tried to elect, 0.8.0 to 3.9.
    """
    is_failed = (col("outcome") == "failed") & (col("from_state") == OFFLINE)
    is_listed = (col("machine") == "partition") & col("state").is_in([OFFLINE, ONLINE])
    return pl.concat(
        [
            partition_transition.filter(is_failed).select(
                *PLACE, event=lit("partition_transition"), state=lit(OFFLINE)
            ),
            state_dump.filter(is_listed).select(*PLACE, "state", event=lit(STARTED)),
        ],
        how="diagonal",
    )


def is_news() -> pl.Expr:
    """Of a statement in its place, with state_before and leader_before: what starts lists as Online says something only
    of a partition that was Offline, whose leader is back."""
    was_offline = (col("state_before") == OFFLINE).fill_null(value=False)
    had_leader = (col("leader_before") != NOBODY).fill_null(value=True)
    return col("event").ne_missing(lit(STARTED)) | (col("state") != ONLINE) | (was_offline & had_leader)
