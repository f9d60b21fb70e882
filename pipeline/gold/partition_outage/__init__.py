"""Stretches of time in which partitions had no leader that serves them, and by which event."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.core.stretches import TIME, open_end, with_island
from pipeline.gold.partition_outage.certainty import (
    DELETED,
    UNTOLD,
    is_begin_unknown,
    outage_evidence,
    with_its_end,
)
from pipeline.gold.partition_outage.decisions import BROKER_FAILURE, LINE, LOST_DIR, with_root_decision
from pipeline.gold.partition_outage.roots import with_departed, with_only_replica, with_shutting_leader
from pipeline.gold.partition_outage.unserved import RETURNED, unserved_parts
from pipeline.model.brokers.departures import AT_STARTUP
from pipeline.model.brokers.outage_bounds import UNSAID, with_bounds
from pipeline.model.partitions.statements import PARTITION, SENT
from pipeline.model.settings import SessionLimit
from schemas.gold.partition_outage import SPEC

DELETION = "topic deletion"
OF_DELETIONS = (
    "partition_transition",
    "replica_removed_from_isr",
)  # what a controller prints of a deletion, too
SEED = "seed"  # how an outage that was noticed before the span reaches it
DEPARTURES = {
    "controlled": BROKER_FAILURE,
    "uncontrolled": BROKER_FAILURE,
    "bounced": "broker bounced",
    AT_STARTUP: "controller start-up",
    UNSAID: UNTOLD,
}
REACH = Reach.PARTITION


@made_of(SPEC, "partition_timeline", "led_before", "outage_before")
def build(  # noqa: PLR0913, PLR0917 - the parameters of a kernel are the tables that it reads
    partition_timeline: pl.DataFrame,
    broker_session: pl.DataFrame,
    broker_absence: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    state_dump: pl.DataFrame,
    broker_setting: pl.DataFrame,
    release_span: pl.DataFrame,
    session_limit: SessionLimit,
    outage_before: pl.DataFrame,
    led_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per outage of one partition: those that go on as the span begins or begin later.

    An outage is a stretch of gold.partition_timeline that nobody serves (is_served), whatever the partition's state
    and the leader that controllers hold: up to 2.2 a partition goes on naming its dead leader, and from 2.6 on its
    move to Offline is not printed at the level as shipped. What a controller finds offline when it starts, and cannot
    elect, has been so since nobody knows when. In KRaft the decision that took the leader out of service is the root,
    where the timeline rests on it.
    outage_before: rows of this table that begin before the span and reach it, undetermined where they are so by what
    was before it. led_before: the last interval with a leader, before the span, of each partition that has none then.
    broker_session: all of it.
    """
    pieces = unserved_parts(pl.concat([led_before, partition_timeline]), broker_session)
    if not span.is_all:
        pieces = pl.concat(
            [outage_pieces_since(pieces, span), outage_seeds(outage_before, span)], how="diagonal"
        )
    return (
        merge_outage_pieces(pieces)
        .pipe(with_root, controller_line)
        .pipe(with_shutting_leader, broker_session)
        .pipe(with_departed, broker_session)
        .pipe(with_only_replica, state_dump, controller_line, broker_session)
        .pipe(with_root_decision, broker_absence, broker_session)
        .pipe(with_bounds, term, session_limit, broker_setting, release_span)
        .with_columns(evidence=outage_evidence(), certainty=with_its_end())
        .with_columns(when(~is_begin_unknown()).then(col("unserved_from_at", "high_ms")))
    )


def outage_pieces_since(pieces: pl.DataFrame, span: Span) -> pl.DataFrame:
    """What of the pieces is not before the span: the rows before it have the rest."""
    from_at = pl.max_horizontal("from_at", lit(span.begin, TIME))
    return pieces.filter(span.reached_by("until_at")).with_columns(from_at=from_at)


def outage_seeds(outage_before: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Outages that reach the span as pieces up to it, with what is known of their begin."""
    first = col("evidence").list.first().struct
    return outage_before.filter(span.before("noticed_at")).select(
        *(*PARTITION, "root_event", "root_broker_id", "root_left_how", "old_leader", "term_id"),
        from_at="noticed_at",
        until_at=lit(span.begin, TIME),
        line_file_id=first.field("file_id"),
        line_byte_offset=first.field("byte_offset"),
        is_absent=col("root_broker_id").is_not_null() & (col("root_event") != LOST_DIR),
        ending=lit(SEED),
        is_in_doubt=col("certainty") == "undetermined",
        is_since_doubt=col("unserved_from_at").is_null(),
    )


def merge_outage_pieces(pieces: pl.DataFrame) -> pl.DataFrame:
    """Pieces that touch are one outage: it begins as its first and ends as its last one. Where a doubt ends
    (is_since_doubt) or begins (is_until_doubt) another one begins: what is in doubt takes nothing from what is
    certain.

    At equal times an absence begins it and the partition's own state ends it.
    """
    outage = (*PARTITION, "cut", "island")
    is_own_state, is_no_seed = ~col("is_absent"), col("ending").ne_missing(lit(SEED))
    by_begin = ("from_at", is_own_state, open_end(), "line_file_id", "line_byte_offset")
    # Of pieces that end together the last one tells how: one without length may follow another.
    by_end = (open_end(), is_no_seed, is_own_state, "from_at", "ending_file_id", "ending_byte_offset")
    new_leader = when(col("ending") == RETURNED).then("root_broker_id").otherwise("new_leader")
    ending = ("ending_file_id", "ending_byte_offset")

    begins_anew = (col("ending").ne_missing(lit(SEED)) & col("is_since_doubt")).fill_null(value=False)
    in_turn = pl.struct("from_at", open_end())
    is_cut_before = col("is_until_doubt").shift(1).over(PARTITION, order_by=in_turn).fill_null(value=False)
    cut = (begins_anew | is_cut_before).cum_sum().over(PARTITION, order_by=in_turn)
    together = with_island(pieces.with_columns(cut=cut), outage[:-1]).with_columns(
        col("is_in_doubt").any().over(outage)
    )
    last = (
        together.sort(by_end)
        .unique(outage, keep="last", maintain_order=True)
        .select(*outage, *ending, ended_at="until_at", ended_how="ending", new_leader=new_leader)
    )
    return (
        together.sort(by_begin)
        .unique(outage, keep="first", maintain_order=True)
        .drop(*ending, "until_at", "ending", "new_leader")
        .rename({"from_at": "noticed_at"})
        .join(last, on=outage, how="inner")
    )


def with_root(found: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """root_event: how the broker left that led it, else the cause of the line with which it begins; event_seq of that
    line. root_broker_id: of a log directory that failed the leader that lives. certainty: undetermined where a deletion
    of which no line is read may have done it."""
    lines = controller_line.select(
        *("cluster_id", "cause", "event_seq"),
        line_event="event",
        line_file_id="file_id",
        line_byte_offset="byte_offset",
    )
    departure = col("root_left_how").replace_strict(DEPARTURES, default=None, return_dtype=pl.String)
    # What a deletion does is none. controller.log would tell it: without its line only an election that day shows that
    # there was none, and later days do not change that.
    is_over_that_day = col("ended_at") < col("noticed_at").dt.truncate("1d") + pl.duration(days=1)
    is_deleted = (col("ended_how") == DELETED) & is_over_that_day
    is_elected = ~col("ended_how").is_in([DELETED, "lines_missing"]) & is_over_that_day
    # A request that is the first to name the partition tells what was so before: its event is not the cause.
    is_told_of = (col("is_first_known") & col("line_event").is_in(SENT)).fill_null(value=False)
    cause = when(~is_told_of).then("cause")
    root = pl.coalesce("root_event", departure, cause, lit(UNTOLD))
    may_be_deleted = (
        root.is_in([UNTOLD, DELETION])
        & (
            (col("line_event").is_in(OF_DELETIONS) & ~is_elected.fill_null(value=False))
            | (col("line_event").is_in(SENT) & is_deleted)
        )
    ).fill_null(value=False)
    certainty = (
        when(col("is_in_doubt") | may_be_deleted)
        .then(lit("undetermined"))
        .when("is_absent")
        .then(lit("inferred"))
        .otherwise(lit("proved"))
    )
    return (
        found.join(lines, on=LINE, how="left")
        .with_columns(root_event=root, certainty=certainty)
        .with_columns(
            root_broker_id=pl.coalesce(
                "root_broker_id", when(col("root_event") == LOST_DIR).then("old_leader")
            )
        )
    )
