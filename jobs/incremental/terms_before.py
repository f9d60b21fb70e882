"""What controllers that go on at a day knew before it, from tables with rows by term and day."""

from datetime import datetime, timedelta

import polars as pl
from polars import col

from jobs.incremental.at_hand import AtHand
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.conditions import Condition, all_conditions, column_before, column_since, is_in
from pipeline.core.frames import empty_frame
from pipeline.model.partitions.controller_view import OWN
from pipeline.model.terms.succession import TERM
from schemas.spec import TableSpec
from schemas.state import controller_day, partition_view, replay_summary

A_WEEK = 7  # days
HAS_LINES = column_since("last_seq", 0)


def summary_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Of each term that goes on at the day rows of state.replay_summary from a day on that tells of all before it."""
    return rows_of_ongoing_terms(at_hand, replay_summary.SPEC, start)


def view_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Of each term that goes on at the day and partition that it holds then the last row of state.partition_view."""
    rows = rows_of_ongoing_terms(at_hand, partition_view.SPEC, start)
    last = rows.sort("day_at").unique(OWN, keep="last", maintain_order=True)
    return last.filter(~col("is_ended"))


def day_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Of each term that goes on at the day its last row of state.controller_day with a line."""
    rows = rows_of_ongoing_terms(at_hand, controller_day.SPEC, start, HAS_LINES)
    return rows.sort("day_at").unique(TERM, keep="last", maintain_order=True)


def rows_of_ongoing_terms(
    at_hand: AtHand, spec: TableSpec, start: datetime, condition: Condition | None = None
) -> pl.DataFrame:
    """Rows before the day, if they meet the condition, of the terms that go on at it: those of its week (from Monday)
    and of the week before, as the first of a week tell all of a term so far; of a term that has none there, all."""
    names = ongoing_term_ids(at_hand, start)
    near = column_since("day_at", start - timedelta(days=start.weekday() + A_WEEK))

    def found(*asked: Condition | None) -> pl.DataFrame:
        return at_hand.stored(spec, all_conditions(column_before("day_at", start), condition, *asked))

    rows = found(near, is_in("term_id", names)) if names else empty_frame(spec)
    silent = sorted(set(names) - set(rows["term_id"].to_list()))
    return pl.concat([rows, found(is_in("term_id", silent))]) if silent else rows


def ongoing_term_ids(at_hand: AtHand, start: datetime) -> list[str]:
    """The terms that began before the day and have lines from it on."""
    began = pl.min_horizontal("elected_at", "first_seen_at")
    lines = at_hand.since(BY_SHORT_NAME["controller_line"], start)["term_id"].unique()
    begun = at_hand.whole(BY_SHORT_NAME["term"]).filter(began < start)["term_id"]
    return sorted(set(lines.to_list()) & set(begun.to_list()))
