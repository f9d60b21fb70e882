"""Terms that go on at a day, and those that judge later by what they knew before it."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import polars as pl
from polars import col

from pipeline.core.conditions import Condition, all_conditions, column_before, column_since, is_in
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import TablesAtHand, begin_of_day, first_time
from pipeline.model.terms.succession import TERM, with_superseded
from schemas.spec import TableSpec

A_WEEK = 7  # days


def ongoing_term_ids(at_hand: TablesAtHand, start: datetime) -> list[str]:
    """The terms that began before the day and have lines from it on."""
    lines = at_hand.since("controller_line", start)["term_id"].unique()
    begun = at_hand.whole("term").filter(col("first_seen_at") < start)["term_id"]
    return sorted(set(lines.to_list()) & set(begun.to_list()))


def rows_of_ongoing_terms(
    at_hand: TablesAtHand, spec: TableSpec, start: datetime, condition: Condition | None = None
) -> pl.DataFrame:
    """Rows of a table by term and day from before the day, if they meet the condition, of the terms that go on at it.

    Those of its week (from Monday) and of the week before, as the first of a week tell all of a term so far; of a term
    that has none there, all.
    """
    names = ongoing_term_ids(at_hand, start)
    near = column_since("day_at", start - timedelta(days=start.weekday() + A_WEEK))

    def found(*asked: Condition | None) -> pl.DataFrame:
        return at_hand.stored(spec, all_conditions(column_before("day_at", start), condition, *asked))

    rows = found(near, is_in("term_id", names)) if names else empty_frame(spec)
    silent = sorted(set(names) - set(rows["term_id"].to_list()))
    return pl.concat([rows, found(is_in("term_id", silent))]) if silent else rows


def deposed_terms_day(at_hand: TablesAtHand, events: Iterable[str], begin: datetime) -> datetime | None:
    """Begin of the first day of the terms that judge from `begin` on though they had a successor before: of these no
    table keeps what they knew. events: the lines that a table judges by what their controller knew."""
    return first_deposed_day(at_hand.whole("term"), at_hand.since("controller_line", begin), events, begin)


def first_deposed_day(
    terms: pl.DataFrame, lines: pl.DataFrame, events: Iterable[str], since: datetime
) -> datetime | None:
    """Begin of the first day of the terms that have such lines from `since` on and had a successor before it."""
    saying = lines.filter(col("event").is_in(list(events)) & (col("ordered_at") >= since))
    deposed = with_superseded(terms).filter(col("superseded_at") < since)
    found = first_time(deposed.join(saying, on=TERM, how="semi"), "first_seen_at")
    return None if found is None else begin_of_day(found)
