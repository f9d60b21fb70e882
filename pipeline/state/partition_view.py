"""What the controller in office held of partitions at the end of each day: once a week all, else what changed."""

from datetime import datetime, timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.model.partitions.carried_views import (
    MOVE,
    UNSAID,
    behind_views,
    there_before,
    with_stated_columns,
)
from pipeline.model.partitions.controller_view import OWN, known_at_begin, ordered_states, term_begin_places
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.statements import LAST, PARTITION, TRACKED, partition_statements
from pipeline.model.partitions.topic_lives import CHANGED, DELETED, GONE
from pipeline.model.terms.missing_terms import ASSIGNED, LED, without_doubted
from pipeline.model.terms.ongoing import rows_of_ongoing_terms
from pipeline.model.terms.succession import TERM, with_superseded
from schemas.state.partition_view import SPEC

ONLINE = "OnlinePartition"
DOUBTABLE = (*LED, *ASSIGNED)
A_DAY, WEEK = timedelta(days=1), "1w"
DAY = (*TERM, "day_at")
REACH = Reach.PARTITION


def build(
    leader_and_isr: pl.DataFrame,
    partition_transition: pl.DataFrame,
    assignment: pl.DataFrame,
    topic_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    deletion_before: pl.DataFrame,
    view_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per partition, term and day, of terms in office at the end of the day.

    span: begins with a day, and the lines with it; view_before: of each partition that such a term held then the last
    row of this table before it. deletion_before: of topics that ended before it.
    partition_timeline: what is open then or begins later.

    The view of a term: the cluster-wide one (partition_timeline) at its first line, then its own lines alone.
    Rows of a day: partitions of which something was said on it; on a term's first day of a week (from Monday) all that
    it holds, so that nobody reads more than two weeks.
    """
    terms = with_superseded(term).filter(col("mode") == "zookeeper")
    if terms.is_empty():
        return empty_frame(SPEC)
    days = active_controller_days(terms, controller_line, view_before, span)
    in_zookeeper = whole_intervals(partition_timeline).filter(col("topic_id").is_null())
    before = there_before(in_zookeeper, view_before, span)
    given = (leader_and_isr, partition_transition, assignment, topic_event, controller_line, term)
    is_of_partition = col("topic").is_not_null() & col("partition").is_not_null()
    said = (
        partition_statements(*given, deletion_before, before)
        .filter(is_of_partition)
        .pipe(with_stated_columns)
    )
    begins = term_begin_places(terms, span).join(days, on=TERM, how="semi").drop_nulls("at")
    held = pl.concat([view_before, held_at_begin(begins, in_zookeeper)])
    own, first = said.join(days, on=TERM, how="semi"), days.filter("is_first")
    named_again = held.join(first, on=TERM, how="anti").join(own, on=OWN, how="semi")
    views = pl.concat([held.join(first, on=TERM, how="semi"), named_again])
    of_days = at_end_of_days(behind_views(own, views, with_doubted=True), views)
    return pl.concat([daily_changes(of_days, days), weekly_states(of_days, days)]).unique([*OWN, "day_at"])


def active_controller_days(
    terms: pl.DataFrame, controller_line: pl.DataFrame, view_before: pl.DataFrame, span: Span
) -> pl.DataFrame:
    """(DAY, is_first): days on which a term began or wrote lines, and at whose end it was in office; is_first: of a
    week."""
    began_at, week_at = col("first_seen_at").dt.truncate("1d"), col("day_at").dt.truncate(WEEK)
    begun = terms.select(*TERM, day_at=began_at)
    lines = controller_line.select(*TERM, day_at=col("ordered_at").dt.truncate("1d"))
    known = view_before.group_by(TERM).agg(known_week_at=col("day_at").max().dt.truncate(WEEK))
    is_given = span.since("day_at")
    is_in_office = (col("superseded_at") >= col("day_at") + A_DAY).fill_null(value=True)
    is_known = (col("known_week_at") == week_at).fill_null(value=False)
    return (
        pl.concat([begun, lines])
        .unique()
        .join(terms.select(*TERM, "superseded_at", began_at=began_at), on=TERM)
        .filter(is_given, is_in_office, col("day_at") >= col("began_at"))
        .join(known, on=TERM, how="left")
        .with_columns(is_first=~is_known & (col("day_at") == col("day_at").min().over(*TERM, week_at)))
        .select(*DAY, "is_first")
    )


def held_at_begin(begins: pl.DataFrame, in_zookeeper: pl.DataFrame) -> pl.DataFrame:
    """What each term knows at its begin of the partitions that are there then, as rows of this table of that day."""
    partitions = in_zookeeper.select(PARTITION).unique()
    asked = begins.select(*TERM, day_at=col("at").dt.truncate("1d")).join(partitions, on="cluster_id")
    known, sure = (
        known_at_begin(asked.select(OWN), begins, ordered_states(rows))
        for rows in (in_zookeeper, without_doubted(in_zookeeper))
    )
    is_there = pl.any_horizontal(col(TRACKED).is_not_null()) & col("state").ne_missing(GONE)
    types = empty_frame(SPEC).schema
    none = (name for name in SPEC.columns if name not in (*OWN, *TRACKED, "day_at"))
    doubted = [
        when(col(name).is_not_null() & col(f"{name}_sure").is_null()).then(lit(name)) for name in DOUBTABLE
    ]
    flags = ("is_ended", "is_epoch_unsaid")
    return (
        known.join(sure.select(*OWN, col(DOUBTABLE).name.suffix("_sure")), on=OWN)
        .filter(is_there)
        .join(asked, on=OWN)
        .with_columns(*(lit(None, types[name]).alias(name) for name in none))
        .with_columns(
            doubted=pl.concat_list(doubted).list.drop_nulls(), **dict.fromkeys(flags, lit(value=False))
        )
        .select(SPEC.columns)
    )


def at_end_of_days(views: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """Of each term and partition a row per day on which something was said of it, and its first, in order of time, with
    the columns of this table; is_new: on the day before it was not there, or had ended."""
    is_line = col("said_event").is_not_null()
    stated = {
        f"{name}_stated": when(is_line & col(name).is_not_null()).then(lit(value=True)) for name in DOUBTABLE
    }
    still = [
        when(col("doubted").list.contains(lit(name)) & col(f"{name}_stated").is_null()).then(lit(name))
        for name in DOUBTABLE
    ]
    is_topic_gone = col("said_event").is_in([DELETED, CHANGED]) & (col("state") == GONE)
    is_ended = is_topic_gone | (col("controller_epoch") == LAST)
    return (
        views.sort(*OWN, "seq")
        .with_columns(is_ended=is_ended.fill_null(value=False), **carried_columns(), **stated)
        .with_columns(
            col(*TRACKED, *carried_columns(), *stated).forward_fill().over(OWN),
            day_at=col("at").dt.truncate("1d").cum_max().over(OWN),
        )
        .unique([*OWN, "day_at"], keep="last", maintain_order=True)
        .join(held.select(*OWN, "doubted"), on=OWN, how="left", maintain_order="left")
        .with_columns(
            col("is_epoch_unsaid").fill_null(value=False),
            doubted=pl.concat_list(still).list.drop_nulls(),
            is_new=col("is_ended").shift(1).over(OWN).fill_null(value=True),
        )
        .select(*SPEC.columns, "is_new")
    )


def carried_columns() -> dict[str, pl.Expr]:
    """By column what a line changes of it; null: nothing."""
    epoch, is_stated = col("said_leader_epoch"), col("said_isr").is_not_null()
    is_election = (col("state") == ONLINE) | (col("seq") == UNSAID)
    is_silent = (col("said_event") == MOVE) & is_election & epoch.is_null()
    return {
        "stated_epoch": epoch.cum_max().over(OWN),
        "isr_file_id": when(is_stated).then("said_file_id"),
        "isr_byte_offset": when(is_stated).then("said_byte_offset"),
        "is_epoch_unsaid": when(is_silent)
        .then(lit(value=True))
        .when(epoch.is_not_null())
        .then(lit(value=False)),
    }


def daily_changes(of_days: pl.DataFrame, days: pl.DataFrame) -> pl.DataFrame:
    """What was said on each day; what ended on the day on which it began is left out."""
    return of_days.join(days, on=DAY, how="semi").filter(~col("is_ended") | ~col("is_new")).drop("is_new")


def weekly_states(of_days: pl.DataFrame, days: pl.DataFrame) -> pl.DataFrame:
    """All that is held at the end of the first day of each week."""
    asked = of_days.select(OWN).unique().join(days.filter("is_first").select(DAY), on=TERM)
    found = asked.sort("day_at").join_asof(
        of_days.sort("day_at"), on="day_at", by=OWN, check_sortedness=False
    )
    return found.filter(~col("is_ended")).select(SPEC.columns)


def view_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Of each term that goes on at the day and partition that it holds then the last row of this table."""
    rows = rows_of_ongoing_terms(at_hand, SPEC, start)
    last = rows.sort("day_at").unique(OWN, keep="last", maintain_order=True)
    return last.filter(~col("is_ended"))


INCREMENTAL = Incremental(
    ordered_by="day_at",
    lookback_days=0,
    carried={"view_before": CarriedState(view_before, empty_frame(SPEC), is_of_each_day=True)},
)
