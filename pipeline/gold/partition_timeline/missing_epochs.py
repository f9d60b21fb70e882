"""States in KRaft mode after which leader epochs are missing: they were over before the next one was seen."""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.model.partitions.partition_states import IDENTITY

SOON = timedelta(milliseconds=1)


def before_missing_epochs(states: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of states whose next leader epoch is higher by more than one, the time after known_at. Each
    change of leader adds one: there were others in between, and no line tells when.

    Source: PartitionRegistration.merge, PartitionChangeBuilder.triggerLeaderEpochBumpIfNeeded, from 2.8.
    """
    return (
        states.select(
            *IDENTITY, "state_no", "known_at", epoch=col("leader_epoch").forward_fill().over(IDENTITY)
        )
        .with_columns(next_epoch=col("epoch").shift(-1).over(IDENTITY))
        .with_columns(when(col("next_epoch") != col("epoch")).then("next_epoch"))
        .with_columns(col("next_epoch").backward_fill().over(IDENTITY))
        .filter(col("next_epoch") > col("epoch") + 1)
        .select("state_no", first_at=col("known_at") + SOON)
    )
