"""How gold.request_trace follows the nights."""

from datetime import datetime, timedelta

import polars as pl

from pipeline.core.conditions import column_before, column_reaching, is_in
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand
from schemas.gold.request_trace import SPEC
from schemas.silver.term import SPEC as TERM

# What the seeds of the next days need of a row.
SEED = (
    *(
        "cluster_id",
        "term_id",
        "controller_id",
        "controller_epoch",
        "broker_id",
        "channel_seq",
        "request_seq",
    ),
    *("correlation_id", "request", "partition_count", "told_at", "sent_at", "received_at"),
)
# Lines of a term are up to milliseconds out of order; a term that was over by then sends nothing more.
NEAR = timedelta(days=2)


def requests_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Of each term and broker the last row before the time of which the controller tells, and the last that arrived."""
    going_on = at_hand.stored(TERM, column_reaching("last_seen_at", start - NEAR), ["term_id"])["term_id"]
    rows = at_hand.stored(
        SPEC, column_before("told_at", start) & is_in("term_id", going_on.unique().sort().to_list()), SEED
    )
    queue = ("cluster_id", "term_id", "broker_id")
    told = rows.drop_nulls("request_seq").sort("request_seq")
    last = told.unique(queue, keep="last")
    arrived = told.drop_nulls("received_at").unique(queue, keep="last")
    return pl.concat([last, arrived]).unique().sort(*queue, "request_seq")


INCREMENTAL = Incremental(
    ordered_by="told_at",
    lookback_days=1,
    lookback_minutes=60,
    carried={"request_before": CarriedState(requests_before, empty_frame(SPEC).select(SEED))},
)
