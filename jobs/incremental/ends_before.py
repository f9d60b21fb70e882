"""Ends of brokers and controllers before a day of which lines since then may tell."""

from datetime import datetime, timedelta

import polars as pl
from polars import col

from jobs.incremental.at_hand import AtHand
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.conditions import column_before, column_reaching, column_since, is_in
from pipeline.model.brokers.end_reasons import TOLD_LATE
from pipeline.model.terms.succession import TERM
from pipeline.rules.registry import OF_CONNECTIONS
from schemas.end_reasons import NO_LOG, NOT_BACK
from schemas.gold import broker_session, controller_term, finding

# A session that was lost is told so late, and what a start says of the run before it.
LATEST = 2 * TOLD_LATE
# Before the last line of a controller nothing tells of its end.
EARLIER = timedelta(minutes=5)


def sessions_without_final_reason(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of gold.broker_session that ended before the day and whose reason may not be final: their process has not
    started since, its server.log was not there, or what tells of the end is near the day. Of a node without any nothing
    tells."""
    is_open = is_in("end_unknown_why", [NOT_BACK, NO_LOG])
    is_near = column_since("left_at", start - LATEST) | column_since("end_reason_at", start - LATEST)
    nodes = at_hand.whole(BY_SHORT_NAME["process_run"])["node_id"].unique().sort().to_list()
    has_log = is_in("broker_id", nodes)
    return at_hand.stored(
        broker_session.SPEC, column_before("left_at", start) & has_log & (is_open | is_near)
    )


def ended_since(at_hand: AtHand, start: datetime) -> datetime | None:
    """The last line of the controllers of which lines since the day say for the first time that, or why, they ended:
    first signs of that are looked for since then. Another was elected, or their process ended or started again."""
    is_open = is_in("end_unknown_why", [NOT_BACK]) | column_reaching("superseded_at", start)
    stored = at_hand.stored(controller_term.SPEC, is_open)
    terms = at_hand.whole(BY_SHORT_NAME["term"])
    began = pl.coalesce("elected_at", "first_seen_at")
    elected = terms.filter(began >= start).select("cluster_id", is_followed=pl.lit(value=True)).unique()
    runs = at_hand.whole(BY_SHORT_NAME["process_run"])
    of_run = pl.any_horizontal(col("started_at") >= start, col("end_at") >= start)
    told = (
        runs.filter(of_run).select("cluster_id", controller_id="node_id", is_told=pl.lit(value=True)).unique()
    )
    is_followed = col("is_followed") & (col("superseded_at") >= start).fill_null(value=True)
    found = (
        stored.join(terms.select(*TERM, "last_seen_at"), on=TERM)
        .join(elected, on="cluster_id", how="left")
        .join(told, on=["cluster_id", "controller_id"], how="left")
        .filter(is_followed.fill_null(value=False) | col("is_told").fill_null(value=False))
    )
    at = found.select(at=pl.min_horizontal("ended_at", "last_seen_at"))["at"].min()
    return at - EARLIER if isinstance(at, datetime) else None


def unanswered_since(at_hand: AtHand, start: datetime) -> datetime | None:
    """When the first finding began that rests on connections and goes on at the day: its kernel reads the connections
    of all that time again. None: there is no such finding."""
    reaches = is_in("rule", OF_CONNECTIONS) & column_reaching("valid_until_at", start)
    at = at_hand.stored(finding.SPEC, reaches)["valid_from_at"].min()
    return at if isinstance(at, datetime) else None
