"""How gold.controller_term follows the nights: it is built whole, of what its terms and their days come to."""

from datetime import datetime, timedelta

import polars as pl
from polars import col

from pipeline.core.conditions import column_before, column_reaching, is_in
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand
from pipeline.model.brokers.first_signs import SIGN_OF_TERM
from pipeline.model.terms.succession import TERM
from schemas.end_reasons import NOT_BACK
from schemas.gold.controller_term import SPEC

A_DAY = timedelta(days=1)
# Before the last line of a controller nothing tells of its end.
EARLIER = timedelta(minutes=5)


def sign_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """(SIGN_OF_TERM) of each term the first sign of its end, if it lies before the day."""
    rows = at_hand.stored(SPEC, column_before("first_sign_at", start))
    lines = col("lines").map.get("first_sign")
    return rows.select(*TERM, sign_before_at="first_sign_at", sign_before_lines=lines)


def ended_since(at_hand: TablesAtHand, start: datetime) -> datetime | None:
    """The last line of the controllers of which lines since the day say for the first time that, or why, they ended:
    first signs of that are looked for since then. Another was elected, or their process ended or started again."""
    is_open = is_in("end_unknown_why", [NOT_BACK]) | column_reaching("superseded_at", start)
    stored = at_hand.stored(SPEC, is_open)
    terms = at_hand.whole("term")
    elected = (
        terms.filter(col("first_seen_at") >= start)
        .select("cluster_id", is_followed=pl.lit(value=True))
        .unique()
    )
    runs = at_hand.whole("process_run")
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


def ended_before(at_hand: TablesAtHand, start: datetime) -> datetime | None:
    """ended_since() the day before."""
    return ended_since(at_hand, start - A_DAY)


INCREMENTAL = Incremental(
    carried={"sign_before": CarriedState(sign_before, pl.DataFrame(schema=SIGN_OF_TERM))},
    inputs_from=ended_before,
)
