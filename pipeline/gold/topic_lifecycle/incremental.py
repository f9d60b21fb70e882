"""How gold.topic_lifecycle follows the nights."""

from datetime import datetime

import polars as pl

from pipeline.core.conditions import column_before
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand
from schemas.gold.topic_lifecycle import SPEC


def topic_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day, those that ended among them: a KRaft controller that
    starts prints topics of long ago once more."""
    return at_hand.stored(SPEC, column_before("first_seen_at", start))


INCREMENTAL = Incremental(
    ordered_by="ended_at",
    lookback_days=0,
    carried={"topic_before": CarriedState(topic_before, empty_frame(SPEC))},
)
