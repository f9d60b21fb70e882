"""Chunks of the replay: what each day of a term leaves to the days after it, object by object; once a week all."""

from datetime import datetime

import polars as pl
from polars import col

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand, first_time
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.partitions.carried_states import OBJECT
from pipeline.model.terms.ongoing import rows_of_ongoing_terms
from pipeline.model.terms.succession import TERM
from schemas.state.replay_summary import SPEC

WEEK = "1w"
OF_MOVE = ("last_to", "last_seq", "file_id", "byte_offset")
REACH = Reach.PARTITION


def build(
    transition_audit: pl.DataFrame,
    controller_line: pl.DataFrame,
    summary_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per object, term and day, of the moves that belong to a term; on a term's first day of a week (from
    Monday) one of each object that it moved so far, with all that they left: nobody reads more than two weeks.

    summary_before: of terms that go on as the span begins rows of this table before it, from one such day on.
    """
    days = moves_by_day(transition_audit)
    known = summary_before.group_by(TERM).agg(known_week_at=col("day_at").max().dt.truncate(WEEK))
    is_given = span.since("ordered_at")
    first = (
        controller_line.filter(is_given)
        .group_by(*TERM, week_at=col("ordered_at").dt.truncate(WEEK))
        .agg(day_at=col("ordered_at").min().dt.truncate("1d"))
        .join(known, on=TERM, how="left")
        .filter(col("known_week_at").ne_missing(col("week_at")))
        .select(*TERM, "day_at")
    )
    so_far = left_so_far(pl.concat([summary_before, days]), first)
    key = (*OBJECT, "day_at")
    return pl.concat([days, so_far]).unique(key, keep="last", maintain_order=True)


def moves_by_day(moves: pl.DataFrame) -> pl.DataFrame:
    is_done, is_trace = col("outcome") == "done", col("level") == "TRACE"
    return (
        moves.filter(col("term_id").is_not_null())
        .sort("seq")
        .group_by(*OBJECT, day_at=col("ordered_at").dt.truncate("1d"))
        .agg(
            col("file_id", "byte_offset").filter(is_done).last(),
            last_to=col("to_state").filter(is_done).last(),
            last_seq=col("seq").filter(is_done).last(),
            end_seq=col("seq").max(),
            first_trace_seq=col("seq").filter(is_trace).min(),
            last_trace_seq=col("seq").filter(is_trace).max(),
        )
        .select(SPEC.columns)
    )


def left_so_far(rows: pl.DataFrame, days: pl.DataFrame) -> pl.DataFrame:
    """What rows of this table up to each of the days come to, of every object of the term."""
    last = {name: col(name).forward_fill() for name in (*OF_MOVE, "last_trace_seq")}
    sums = last | {"first_trace_seq": col("first_trace_seq").cum_min().forward_fill()}
    summed = (
        rows.sort(*OBJECT, "day_at")
        .with_columns(object=pl.struct(OBJECT).rle_id())
        .with_columns(**{name: one.over("object") for name, one in sums.items()})
    )
    asked = summed.select("object", *TERM).unique().join(days, on=TERM).drop(TERM)
    found = asked.sort("day_at").join_asof(
        summed.sort("day_at"), on="day_at", by="object", check_sortedness=False
    )
    return found.filter(col("end_seq").is_not_null()).select(SPEC.columns)


def summary_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Of each term that goes on at the day rows of this table from a day on that tells of all before it."""
    return rows_of_ongoing_terms(at_hand, SPEC, start)


def traced_again_from(at_hand: TablesAtHand, start: datetime) -> datetime | None:
    """traced_again() of the lines from the day on."""
    return traced_again(at_hand.since("controller_line", start), summary_before(at_hand, start))


def traced_again(lines: pl.DataFrame, summaries: pl.DataFrame) -> datetime | None:
    """A term's verdicts change from its last line at TRACE on, where after others such a line follows again.

    lines: silver.controller_line from a day on; summaries: rows of this table before it, of the terms of these lines.
    """
    traced = lines.filter((col("level") == "TRACE") & (col("log") == "state-change")).select(TERM).unique()
    left = summaries.join(traced, on=TERM, how="semi").group_by(TERM)
    ends = left.agg(traced_seq=col("last_trace_seq").max(), end_seq=col("end_seq").max())
    at = pl.from_epoch(col("traced_seq") // (1 << SEQ_BITS), time_unit="ms").dt.replace_time_zone("UTC")
    return first_time(ends.filter(col("traced_seq") < col("end_seq")).select(at=at), "at")


INCREMENTAL = Incremental(
    ordered_by="day_at",
    lookback_days=0,
    carried={"summary_before": CarriedState(summary_before, empty_frame(SPEC), is_of_each_day=True)},
    verdicts_from=traced_again_from,
)
