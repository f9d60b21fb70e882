"""How gold.leader_election follows the nights."""

from datetime import datetime

import polars as pl
from polars import col

from pipeline.core.conditions import column_before, column_reaching, column_since, is_in
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import A_DAY_OF_MINUTES, CarriedState, Incremental, TablesAtHand
from pipeline.gold.leader_election.election_lines import TRYING
from pipeline.gold.leader_election.kraft_marks import RUNS
from pipeline.model.terms.ongoing import deposed_terms_day
from pipeline.model.terms.succession import with_superseded
from schemas.silver import election_event

PLACE = ("file_id", "byte_offset")


def run_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of silver.election_event: of the KRaft terms that go on at the day the first run of preferred elections of
    each day and kind before it. Which controllers print theirs is told by any of them."""
    terms = with_superseded(at_hand.whole("term"))
    is_open = column_reaching("superseded_at", start).polars()
    going_on = terms.filter(col("mode") == "kraft", is_open, col("first_seen_at") < start)
    first = going_on["first_seen_at"].min()
    if not isinstance(first, datetime):
        return empty_frame(election_event.SPEC)
    in_time = column_since("logged_at", first) & column_before("logged_at", start)
    rows = at_hand.stored(election_event.SPEC, is_in("event", RUNS) & in_time).sort("logged_at", *PLACE)
    day = rows.with_columns(day_at=col("logged_at").dt.truncate("1d"))
    each = day.unique(
        ("cluster_id", "node_id", "event", "trigger", "day_at"), keep="first", maintain_order=True
    )
    return each.drop("day_at")


def judged_terms_day(at_hand: TablesAtHand, begin: datetime) -> datetime | None:
    """Begin of the first day of the terms that elect from `begin` on though they had a successor before."""
    return deposed_terms_day(at_hand, TRYING, begin)


INCREMENTAL = Incremental(
    ordered_by="elected_at",
    lookback_days=1,
    lookback_minutes=A_DAY_OF_MINUTES,
    carried={"run_before": CarriedState(run_before, empty_frame(election_event.SPEC))},
    inputs_from=judged_terms_day,
)
