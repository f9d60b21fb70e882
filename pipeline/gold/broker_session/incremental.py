"""How gold.broker_session follows the nights."""

from datetime import datetime

import polars as pl
from polars import col, lit

from pipeline.core.conditions import column_before, column_reaching, column_since, is_in
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import (
    AFFECTS,
    CarriedState,
    Incremental,
    TablesAtHand,
    affected_from,
    begin_of_day,
    first_time,
)
from pipeline.gold.broker_session import with_session_ends
from pipeline.model.brokers.end_reasons import TOLD_LATE
from pipeline.model.brokers.registration_epochs import with_next_registration
from schemas.end_reasons import NO_LOG, NOT_BACK
from schemas.gold.broker_session import SPEC

# A session that was lost is told so late, and what a start says of the run before it.
LATEST = 2 * TOLD_LATE
REASONS = ("end_reason", "end_reason_at", "end_detail", "end_unknown_why")


def sessions_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day: those that reach it, and the last one of each broker."""
    rows = at_hand.stored(SPEC, column_before("joined_at", start))
    last = rows.sort("joined_at", nulls_last=False).unique(("cluster_id", "broker_id"), keep="last")
    kept = pl.concat([rows.filter(column_reaching("left_at", start).polars()), last])
    return kept.unique(("cluster_id", "broker_id", "joined_at"), keep="first")


def reasons_from(at_hand: TablesAtHand, start: datetime) -> datetime | None:
    """The first day before `start` of which lines since then say why a broker had left."""
    stored = sessions_without_final_reason(at_hand, start)
    runs, events = (at_hand.whole(name) for name in ("process_run", "node_event"))
    lines = at_hand.since("connection_event", start - LATEST)
    known = with_registration_after(at_hand, stored)
    at = earliest_changed_reason(stored, with_session_ends(known, runs, events, lines))
    return None if at is None else begin_of_day(at)


def sessions_without_final_reason(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that ended before the day and whose reason may not be final: their process has not started
    since, its server.log was not there, or what tells of the end is near the day. Of a node without any nothing
    tells."""
    is_open = is_in("end_unknown_why", [NOT_BACK, NO_LOG])
    is_near = column_since("left_at", start - LATEST) | column_since("end_reason_at", start - LATEST)
    nodes = at_hand.whole("process_run")["node_id"].unique().sort().to_list()
    has_log = is_in("broker_id", nodes)
    return at_hand.stored(SPEC, column_before("left_at", start) & has_log & (is_open | is_near))


def with_registration_after(at_hand: TablesAtHand, stored: pl.DataFrame) -> pl.DataFrame:
    """with_next_registration() of some stored rows, beside all others of their brokers."""
    first = first_time(stored.filter(col("mode") == "kraft"), "left_at")
    if first is None:
        return stored.with_columns(is_registered_anew=lit(value=False))
    registered = at_hand.since("broker_event", first)
    return with_next_registration(at_hand.stored(SPEC), registered).join(
        stored, on=("cluster_id", *SPEC.key), how="semi", nulls_equal=True
    )


def earliest_changed_reason(stored: pl.DataFrame, now: pl.DataFrame) -> datetime | None:
    """The earliest end (left_at) of sessions whose reason is another one than was stored: a next start is seen only
    now, or what the process said later."""
    key = ("cluster_id", "broker_id", "joined_at")
    reasons = (
        rows.select(*key, *REASONS, line_of_reason(), col("left_at").alias(AFFECTS)) for rows in (now, stored)
    )
    return affected_from(*reasons)


def line_of_reason() -> pl.Expr:
    return col("end_lines").list.first().struct.field("file_id")


INCREMENTAL = Incremental(
    ordered_by="left_at",
    lookback_days=0,
    lookback_minutes=1,
    carried={"session_before": CarriedState(sessions_before, empty_frame(SPEC))},
    reopened_from=reasons_from,
    is_taken_whole=True,
)
