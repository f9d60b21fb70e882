"""How silver.process_run follows the nights."""

from datetime import datetime

import polars as pl
from polars import col

from pipeline.core.conditions import column_reaching
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand
from schemas.silver.process_run import SPEC


def process_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that reach the day, with their lines of before it alone: the others are read."""
    rows = at_hand.stored(SPEC, column_reaching("next_started_at", start))
    lines = ("first_line_at", "last_line_at")
    return rows.with_columns(pl.when(col(name) < start).then(name).alias(name) for name in lines)


INCREMENTAL = Incremental(
    ordered_by="next_started_at",
    lookback_days=1,
    carried={"process_before": CarriedState(process_before, empty_frame(SPEC))},
    is_taken_whole=True,
)
