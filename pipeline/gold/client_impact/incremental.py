"""How gold.client_impact follows the nights."""

from datetime import datetime

import polars as pl

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import (
    A_DAY_OF_MINUTES,
    CarriedState,
    Incremental,
    TablesAtHand,
    intervals_before,
)
from schemas.gold.client_impact import SPEC


def impact_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day and reach it."""
    return intervals_before(at_hand, SPEC, "from_at", "until_earliest_at", start)


INCREMENTAL = Incremental(
    ordered_by="until_earliest_at",
    lookback_days=1,
    lookback_minutes=A_DAY_OF_MINUTES,
    carried={"impact_before": CarriedState(impact_before, empty_frame(SPEC))},
)
