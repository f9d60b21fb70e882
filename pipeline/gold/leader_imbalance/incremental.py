"""How gold.leader_imbalance follows the nights."""

from datetime import datetime

import polars as pl

from pipeline.core.conditions import column_before, column_equals
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand, intervals_before
from schemas.gold.leader_imbalance import CREATION_UNSEEN, SPEC


def imbalance_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day and reach it, and of those that ended before one that
    tells of a partition whose creation was not seen."""
    open_ones = intervals_before(at_hand, SPEC, "valid_from_at", "valid_until_at", start)
    unseen = column_before("valid_until_at", start) & column_equals("reason", CREATION_UNSEEN)
    return pl.concat([open_ones, at_hand.stored(SPEC, unseen).head(1)])


INCREMENTAL = Incremental(
    ordered_by="valid_until_at",
    lookback_days=0,
    carried={"imbalance_before": CarriedState(imbalance_before, empty_frame(SPEC))},
)
