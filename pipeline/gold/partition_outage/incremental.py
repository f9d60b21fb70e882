"""How gold.partition_outage follows the nights."""

from datetime import datetime

import polars as pl
from polars import col

from pipeline.core.conditions import all_conditions, column_before, column_since
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import (
    CarriedState,
    Incremental,
    TablesAtHand,
    intervals_before,
    names_condition,
)
from pipeline.model.partitions.statements import PARTITION
from schemas.gold import partition_timeline
from schemas.gold.partition_outage import SPEC

OUTAGE = (*PARTITION, "noticed_at")
UNDETERMINED = "undetermined"


def outage_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day and reach it; undetermined only by what was before it:
    what comes after it is judged anew."""
    rows = intervals_before(at_hand, SPEC, "noticed_at", "ended_at", start)
    is_told = col("certainty") == UNDETERMINED
    told = rows.filter(is_told)
    if told.is_empty():
        return rows
    doubted = doubted_before(at_hand, told, start)
    certain = told.join(doubted, on=OUTAGE, how="anti").with_columns(certainty=pl.lit("inferred"))
    return pl.concat([rows.filter(~is_told), certain, told.join(doubted, on=OUTAGE, how="semi")])


def doubted_before(at_hand: TablesAtHand, outages: pl.DataFrame, start: datetime) -> pl.DataFrame:
    """(OUTAGE) of these outages those of which an interval that ended before the day is in doubt."""
    first_at = outages["noticed_at"].to_list()
    ended = column_before("valid_until_at", start) & column_since("valid_until_at", min(first_at))
    of_topics = names_condition("topic", outages["topic"])
    parts = at_hand.stored(partition_timeline.SPEC, all_conditions(ended, of_topics))
    is_in_doubt = ~col("is_served") & (col("certainty") == UNDETERMINED)
    in_doubt = parts.filter(is_in_doubt).select(*PARTITION, from_at="valid_from_at")
    found = outages.join(in_doubt, on=PARTITION).filter(col("from_at") >= col("noticed_at"))
    return found.select(OUTAGE).unique()


INCREMENTAL = Incremental(
    ordered_by="ended_at",
    lookback_days=0,
    carried={"outage_before": CarriedState(outage_before, empty_frame(SPEC))},
)
