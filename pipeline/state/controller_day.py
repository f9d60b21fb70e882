"""What each day of a term adds to the verdict on it: of a term of the past no line is read again."""

from datetime import datetime, timedelta
from functools import reduce

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import column_since
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand
from pipeline.core.made_of import needs_rows_of
from pipeline.model.brokers.candidates import with_candidates
from pipeline.model.lines.evidence import LINE, evidence_line, outermost_lines
from pipeline.model.terms.ongoing import rows_of_ongoing_terms
from pipeline.model.terms.term_steps import (
    LIVE,
    NAMED,
    RESIGNED,
    TERM,
    term_resignations,
    with_named_term,
    with_succession,
)
from schemas.state.controller_day import SPEC

DAY = (*TERM, "day_at")
# How long before it says that it has resigned it may have begun to.
RESIGNATION = timedelta(seconds=1)
STALE = ("11", "STALE_CONTROLLER_EPOCH")
HAS_LINES = column_since("last_seq", 0)
COUNTS = tuple(name for name in SPEC.columns if name.endswith("_count"))


def late_write(term: pl.DataFrame, partition_transition: pl.DataFrame) -> pl.DataFrame:
    """Days on which a controller moved partitions to OnlinePartition after superseded_at: each move writes a leader.

    Columns: TERM, day_at, write_count, write_lines (structs of logged_at, file_id, byte_offset: the first four moves
    and the last).
    """
    is_write = (col("outcome") == "done") & (col("to_state") == "OnlinePartition")
    moves = partition_transition.filter(is_write).select(*NAMED, "logged_at", *LINE)
    return (
        with_named_term(moves, with_succession(term))
        .filter(col("logged_at") > col("superseded_at"))
        .sort(*TERM, "logged_at", *LINE)
        .group_by(*TERM, day_at_column("logged_at"), maintain_order=True)
        .agg(
            write_count=pl.len(), write_lines=outermost_lines(pl.struct("logged_at", *LINE).implode()).first()
        )
    )


def late_request_line(term: pl.DataFrame, control_request: pl.DataFrame) -> pl.DataFrame:
    """Lines of requests sent after superseded_at, or refused for their epoch, as brokers say or as their answers do.

    Columns: TERM, day_at, LINE, kind (sent, empty, refused, answered): once each. A line that names several topics, or
    none, stands in each of their shards.
    """
    step = col("step")
    is_sent = step == "sent"
    is_stale = (step == "answered") & col("error").is_in(STALE)
    is_empty = is_sent & is_to_nobody()
    said = control_request.filter(step.is_in(["sent", "refused"]) | is_stale).select(
        *NAMED, "logged_at", *LINE, kind=when(is_empty).then(lit("empty")).otherwise(step)
    )
    is_refusal = col("kind").is_in(["refused", "answered"])
    is_late = col("logged_at") > col("superseded_at")
    return (
        with_named_term(said, with_succession(term))
        .filter(is_refusal | is_late)
        .select(*TERM, day_at_column("logged_at"), *LINE, "kind")
        .unique()
    )


PARTIALS = (late_write, late_request_line)


def build(
    term: pl.DataFrame,
    controller_line: pl.DataFrame,
    controller_step: pl.DataFrame,
    broker_event: pl.DataFrame,
    late_write: pl.DataFrame,
    late_request_line: pl.DataFrame,
    day_before: pl.DataFrame,
) -> pl.DataFrame:
    """One row per term and day. Lines are of the day of their order (ordered_at), requests and moves of their own time.

    day_before: of each term that began before the lines that are given its last row with a line before them.
    Source: KafkaController, ControllerChannelManager, 0.8.2 to 3.9; QuorumController, from 2.8.
    """
    begun = with_succession(term)
    told = (
        daily_acts(begun, controller_line, controller_step),
        known_brokers(controller_line, broker_event, day_before),
        daily_live_brokers(controller_line, broker_event),
        daily_late_writes(late_write),
        daily_late_requests(late_request_line),
    )
    every = reduce(lambda one, other: one.join(other, on=DAY, how="full", coalesce=True), told)
    return every.with_columns(col(COUNTS).fill_null(0), col("has_state_changes").fill_null(value=False))


def daily_acts(
    term: pl.DataFrame, controller_line: pl.DataFrame, controller_step: pl.DataFrame
) -> pl.DataFrame:
    """Days with lines: the last line; of those before it resigned (acts) the last; how many lines and acts are later
    than superseded_at."""
    is_late = col("logged_at") > col("superseded_at")
    ends = term.select(*TERM, "superseded_at").join(
        term_resignations(term, controller_step), on=TERM, how="left"
    )
    lines = (
        controller_line.select(*TERM, "seq", "log", "logged_at", "ordered_at", *LINE)
        .join(ends, on=TERM, how="inner")
        .with_columns(day_at_column("ordered_at"), is_act=is_act())
    )
    days = lines.group_by(DAY).agg(
        last_line_at=col("logged_at").max(),
        has_state_changes=(col("log") == "state-change").any(),
        acted_at=col("logged_at").filter("is_act").max(),
        late_count=is_late.sum(),
        late_act_count=(is_late & col("is_act")).sum(),
    )
    last = (
        lines.rename({"logged_at": "last_line_at", "seq": "last_seq"})
        .select(*DAY, "last_line_at", "last_seq", *LINE)
        .join(days, on=[*DAY, "last_line_at"], how="semi")
        .sort(*DAY, "last_seq", *LINE)
        .unique(DAY, keep="last", maintain_order=True)
    )
    return days.join(last.drop("last_line_at"), on=DAY, how="left")


def day_at_column(moment: str) -> pl.Expr:
    return col(moment).dt.truncate("1d").alias("day_at")


def is_act() -> pl.Expr:
    """Logged before it resigns. At equal times controller.log says it before state-change.log does. Where a line says
    only that it has resigned, what stands just before that may be of its resignation."""
    at = col("logged_at")
    is_end_alone = (col("resigning_event") == RESIGNED).fill_null(value=False)
    taken = when(is_end_alone).then(lit(RESIGNATION)).otherwise(lit(timedelta()))
    resigning_at = col("resigning_at") - taken
    is_same_file = col("file_id") == col("resigning_file_id")
    is_before = is_same_file & (col("byte_offset") < col("resigning_byte_offset"))
    return resigning_at.is_null() | (at < resigning_at) | ((at == resigning_at) & is_before)


def daily_live_brokers(controller_line: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Days on which it lists the live brokers: those that it names, which may be none."""
    lines = controller_line.filter(col("event") == LIVE).select(*TERM, day_at_column("ordered_at"), *LINE)
    named = broker_event.filter(col("event") == LIVE).select("cluster_id", *LINE, "broker_id", is_named=True)
    is_unread = (col("is_named") & col("broker_id").is_null()).any()
    return (
        lines.join(named, on=["cluster_id", *LINE], how="left")
        .group_by(DAY)
        .agg(is_unread=is_unread, live_brokers=col("broker_id").drop_nulls().unique().sort())
        .select(*DAY, live_brokers=when(~col("is_unread")).then("live_brokers"))
    )


def known_brokers(
    controller_line: pl.DataFrame, broker_event: pl.DataFrame, day_before: pl.DataFrame
) -> pl.DataFrame:
    """Days with lines: the brokers that it can choose from at their end."""
    days = controller_line.group_by(*TERM, day_at_column("ordered_at")).agg(col("seq").max())
    return with_candidates(days, broker_event, controller_line, day_before).select(
        *DAY, known_live_brokers="live_brokers", known_shutting_down_brokers="shutting_down_brokers"
    )


@needs_rows_of("late_write")
def daily_late_writes(late_write: pl.DataFrame) -> pl.DataFrame:
    """Days with late moves: how many, when the last, and their outermost lines."""
    counts = late_write.group_by(DAY).agg(col("write_count").sum())
    lines = (
        late_write.select(*DAY, col("write_lines").alias("line"))
        .explode("line")
        .unnest("line")
        .sort(*TERM, "logged_at", *LINE)
        .group_by(DAY, maintain_order=True)
        .agg(last_write_at=col("logged_at").last(), write_lines=evidence_line())
    )
    return counts.join(lines.with_columns(outermost_lines(col("write_lines"))), on=DAY)


def daily_late_requests(late_request_line: pl.DataFrame) -> pl.DataFrame:
    """Days with late or refused requests. Each count is of lines; a line may have a row for each partition."""
    kind = col("kind")
    return (
        late_request_line.unique()
        .group_by(DAY)
        .agg(
            sent_count=(kind == "sent").sum(),
            empty_count=(kind == "empty").sum(),
            refused_count=(kind == "refused").sum(),
            stale_count=(kind == "answered").sum(),
        )
    )


def is_to_nobody() -> pl.Expr:
    has_no_list = (col("broker_ids").list.len() == 0).fill_null(value=False)
    return has_no_list & col("broker_id").is_null()


def day_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Of each term that goes on at the day its last row of this table with a line."""
    rows = rows_of_ongoing_terms(at_hand, SPEC, start, HAS_LINES)
    return rows.sort("day_at").unique(TERM, keep="last", maintain_order=True)


INCREMENTAL = Incremental(
    ordered_by="day_at",
    lookback_days=0,
    carried={"day_before": CarriedState(day_before, empty_frame(SPEC), is_of_each_day=True)},
)
