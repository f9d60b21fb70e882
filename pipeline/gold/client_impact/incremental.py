"""How gold.client_impact follows the nights."""

from datetime import datetime

import polars as pl

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import (
    A_DAY_OF_MINUTES,
    CarriedState,
    Incremental,
    TablesAtHand,
    first_time,
    intervals_before,
)
from pipeline.gold.client_impact.silences import silences
from schemas.gold.client_impact import SPEC


def impact_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day and reach it."""
    return intervals_before(at_hand, SPEC, "from_at", "until_earliest_at", start)


def begin_of_silences(at_hand: TablesAtHand, start: datetime) -> datetime | None:
    """The last time before `start` at which no broker was dead or frozen unnoticed: what waited for one began no
    earlier than it, and intervals of partitions are read from there on. None: none was at the start."""
    begin = start
    while (earlier := dead_from(at_hand, begin)) < begin:
        begin = earlier
    return begin if begin < start else None


def dead_from(at_hand: TablesAtHand, at: datetime) -> datetime:
    """When the first broker was dead of those that were so at a time, or that time."""
    gone = silences(at_hand.since("broker_session", at), at_hand.whole("process_run"))
    return first_time(gone.filter(pl.col("left_at") >= at, pl.col("dead_from_at") < at), "dead_from_at") or at


INCREMENTAL = Incremental(
    ordered_by="until_earliest_at",
    lookback_days=1,
    lookback_minutes=A_DAY_OF_MINUTES,
    inputs_from=begin_of_silences,
    carried={"impact_before": CarriedState(impact_before, empty_frame(SPEC))},
)
