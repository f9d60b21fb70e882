"""Who led which partition when, from what controllers state line by line."""

import polars as pl
from polars import col

from pipeline.core.frames import with_absent
from pipeline.core.made_of import made_of
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.gold.partition_timeline.kraft_intervals import kraft_intervals, until_kraft
from pipeline.gold.partition_timeline.own_stops import STATE_LINE, state_line
from pipeline.gold.partition_timeline.zk_intervals import zk_intervals
from pipeline.gold.partition_timeline.zk_statements import epoch_jump, zk_statement
from pipeline.model.brokers.unsaid_bounces import NOT_TOLD
from pipeline.model.brokers.zookeeper_sessions import without_momentary_sessions, zookeeper_sessions
from pipeline.model.partitions.service import unlisted_terms, without_cut_creations
from pipeline.model.partitions.service_parts import in_parts, whole_intervals
from pipeline.model.partitions.unled import unled_partition
from pipeline.model.terms.election_chances import election_chances
from pipeline.model.terms.last_lines import lost_session_line, proved_term
from schemas.gold.partition_timeline import SPEC

REACH = Reach.PARTITION
KRAFT, ZOOKEEPER = "kraft", "zookeeper"
KRAFT_BEGIN = ("cluster_id", "valid_from_at")


def kraft_begin(
    partition_state: pl.DataFrame,
    broker_absence: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    wording_seen: pl.DataFrame,
    process_run: pl.DataFrame,
    broker_event: pl.DataFrame,
    timeline_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """(cluster_id, valid_from_at) of what a KRaft controller told first, where ZooKeeper was before it."""
    known = whole_intervals(timeline_before)
    of_kraft = known.filter(col("topic_id").is_not_null()).select(KRAFT_BEGIN)
    if {ZOOKEEPER, KRAFT} <= set(term["mode"]):
        given = (partition_state, broker_absence, controller_line, term, wording_seen, process_run, known)
        # What brokers do meanwhile begins nothing.
        nothing = pl.DataFrame(schema=STATE_LINE)
        begun = kraft_intervals(*given, nothing, broker_event, span)
        of_kraft = pl.concat([of_kraft, begun.select(KRAFT_BEGIN)])
    return of_kraft.group_by("cluster_id").agg(col("valid_from_at").min())


PARTIALS = (
    lost_session_line,
    proved_term,
    election_chances,
    kraft_begin,
    unled_partition,
    zk_statement,
    epoch_jump,
    state_line,
)


@made_of(SPEC, "zk_statement", "partition_state", "timeline_before")
def build(  # noqa: PLR0913, PLR0917 - the parameters of a kernel are the tables that it reads
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    partition_state: pl.DataFrame,
    broker_absence: pl.DataFrame,
    wording_seen: pl.DataFrame,
    process_run: pl.DataFrame,
    broker_event: pl.DataFrame,
    proved_term: pl.DataFrame,
    election_chances: pl.DataFrame,
    kraft_begin: pl.DataFrame,
    zk_statement: pl.DataFrame,
    epoch_jump: pl.DataFrame,
    state_line: pl.DataFrame,
    timeline_before: pl.DataFrame,
    session_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per interval in which nothing known of the partition changed, nor whether its leader serves it: those
    that reach the span. In KRaft also those before it, from the last state on that was printed before it: what is
    printed after it may tell of them anew.

    timeline_before: rows of this table that begin before the span, of partitions in whose topics something is said
    after it, and all that are open then.
    session_before: rows of gold.broker_session that begin before it: those that reach it, the last one of each broker.

    Rows: statements that repeat what is known begin no interval. A move to NonExistentPartition ends the last
    one, and so do the topic's deletion, a wiped cluster's next election and that of a KRaft controller.
    A partition that its controller fails to lead, or lists as Offline when it starts, is Offline from then on.
    A statement with a lower leader epoch than one before it is stale (a deposed controller) and is left out.
    Where a term's own lines are missing a row is undetermined until a later controller states the leader, and the
    assignment is stale until one states it.
    KRaft: as kraft_intervals says, from the partition's record on; so, too, what brokers print where no line shows a
    controller in office; what follows is of ZooKeeper mode.
    Source: lines of controllers. From 2.7 on (inter-broker protocol) leaders ask them for every change of ISR; until
    then leaders write it, and what they print into server.log tells (leader_writes): without it isr is as last stated,
    and marked.
    Served: pipeline.model.partitions.service decides, of gold.partition_outage too.
    """
    modes = set(term["mode"])
    unlisted = unlisted_terms(term, wording_seen)
    before = whole_intervals(timeline_before)
    of_kraft = (
        partition_state,
        broker_absence,
        controller_line,
        term,
        wording_seen,
        process_run,
        before,
        state_line,
        broker_event,
    )
    if modes <= {KRAFT}:
        nobody = session_before.clear()
        return kraft_intervals(*of_kraft, span).pipe(
            with_parts, nobody, unlisted, term, timeline_before, span
        )
    sessions = sessions_since(broker_event, controller_line, term, session_before, span)
    in_zookeeper = zk_intervals(zk_statement, proved_term, wording_seen, election_chances, epoch_jump, span)
    if KRAFT not in modes:
        return in_zookeeper.pipe(intervals_reaching, span).pipe(
            with_parts, sessions, unlisted, term, timeline_before, span
        )
    in_kraft = kraft_intervals(*of_kraft, span)
    until_then = until_kraft(in_zookeeper, kraft_begin).pipe(intervals_reaching, span)
    both = pl.concat([until_then, in_kraft], how="diagonal")
    return both.pipe(with_parts, sessions, unlisted, term, timeline_before, span)


def sessions_since(
    broker_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    session_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """Sessions of brokers in ZooKeeper mode in the span, and the last one of each before it."""
    is_known = span.before("joined_at") & (col("mode") == "zookeeper")
    known = session_before.filter(is_known)
    is_over = span.before("left_at").fill_null(value=False)
    found = zookeeper_sessions(broker_event, controller_line, term, known.filter(~is_over), NOT_TOLD)
    return without_momentary_sessions(pl.concat([found, known.filter(is_over)], how="diagonal"))


def intervals_reaching(intervals: pl.DataFrame, span: Span) -> pl.DataFrame:
    """The rows that are open as the span begins or later."""
    return intervals.filter(span.reached_by("valid_until_at"))


def with_parts(
    intervals: pl.DataFrame,
    sessions: pl.DataFrame,
    unlisted: pl.DataFrame,
    term: pl.DataFrame,
    timeline_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """The columns of this table, null where the mode knows none, and the intervals in parts."""
    known = with_absent(intervals, SPEC).select(SPEC.columns)
    parts = in_parts(known, sessions, unlisted, timeline_before, span)
    return parts.pipe(without_cut_creations, term).select(SPEC.columns)
