"""When each broker was in the cluster and how it left, from the lists of live brokers that controllers print, and in
KRaft from what they decide."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of
from pipeline.core.span import Span
from pipeline.gold.broker_session.kraft_sessions import UNKNOWN_BEGIN as BEFORE_DATA
from pipeline.gold.broker_session.kraft_sessions import kraft_sessions
from pipeline.model.brokers.departures import (
    SESSION,
    leaderships_by_broker,
    with_cleanness,
    with_handled,
    with_led,
    with_requests,
    with_torn,
)
from pipeline.model.brokers.end_reasons import with_end_reason
from pipeline.model.brokers.first_signs import with_first_end_sign, with_last_line_of_broker
from pipeline.model.brokers.outage_bounds import FENCED, with_silence
from pipeline.model.brokers.registration_epochs import with_later_registrations, with_next_registration
from pipeline.model.brokers.unsaid_bounces import registrations_in_server_log, without_lost_leaders
from pipeline.model.brokers.zookeeper_sessions import without_momentary_sessions, zookeeper_sessions
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.settings import SessionLimit
from schemas.gold.broker_session import SPEC

BOUNCED = "bounced"
CAME = ("joined", BOUNCED)


def broker_leadership(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """What counts the partitions of a broker as it leaves: rows of leaderships_by_broker()."""
    return leaderships_by_broker(whole_intervals(partition_timeline))


PARTIALS = (broker_leadership,)


@made_of(SPEC, "broker_event", "broker_leadership", "session_before")
def build(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    broker_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    broker_leadership: pl.DataFrame,
    broker_setting: pl.DataFrame,
    release_span: pl.DataFrame,
    process_run: pl.DataFrame,
    node_event: pl.DataFrame,
    connection_event: pl.DataFrame,
    session_limit: SessionLimit,
    session_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per session of one broker: those that are open as the span begins or end later.

    session_before: rows of this table that begin before the span: those that reach it, and the last one of each
    broker. broker_leadership: of intervals that are open as the span begins or begin later.
    """
    # Lines may be given that the seeds know already: those of the same segments.
    later = broker_event.filter(span.since("logged_at"))
    seeds = session_before.filter(span.before("joined_at"))
    of_zookeeper, of_kraft = (seeds.filter(col("mode") == mode) for mode in ("zookeeper", "kraft"))
    reaches = span.reached_by("left_at")
    found = [
        zookeeper_sessions(
            broker_event,
            controller_line,
            term,
            of_zookeeper.filter(reaches),
            registrations_in_server_log(node_event),
        ),
        kraft_sessions(later, term, of_kraft, of_kraft.filter(span.before("left_at"))),
    ]
    return (
        pl.concat(found, how="diagonal")
        .pipe(without_momentary_sessions)
        .pipe(with_requests, broker_event, term, seeds)
        .pipe(with_led, broker_leadership)
        .pipe(without_lost_leaders)
        .pipe(with_led_before, seeds.filter(span.before(col("shutdown_requested_at").list.first())))
        .pipe(with_handled, controller_line)
        .pipe(with_torn, term)
        .pipe(with_later_registrations, later)
        .pipe(with_next_registration, later)
        .pipe(with_cleanness)
        .pipe(with_silence, term, session_limit, broker_setting, release_span)
        .pipe(with_last_line_of_broker, controller_line, process_run)
        .pipe(with_session_ends, process_run, node_event, connection_event)
    )


def with_session_ends(
    sessions: pl.DataFrame,
    process_run: pl.DataFrame,
    node_event: pl.DataFrame,
    connection_event: pl.DataFrame,
) -> pl.DataFrame:
    """Sessions with why they ended and the first sign of it. Of one that was there before the data only its end is
    known: its process is the one before that."""
    since = when(col("joined_how") == BEFORE_DATA).then(pl.coalesce("silent_from_at", "joined_at"))
    said = pl.concat([node_event, connection_event], how="diagonal")
    ends = sessions.with_columns(
        node_id="broker_id",
        begin_at=since.otherwise("joined_at"),
        end_at="left_at",
        came_at=when(col("joined_how").is_in(CAME)).then("joined_at"),
        gone_from_at=gone_from_at(),
        is_fenced=(
            (col("mode") == "kraft") & (col("left_how") == FENCED) & ~col("is_registered_anew")
        ).fill_null(value=False),
        is_bounced=(col("left_how") == BOUNCED).fill_null(value=False),
    )
    return (
        ends.pipe(with_end_reason, process_run, said)
        .pipe(with_first_end_sign, process_run, connection_event)
        .drop(
            "node_id",
            "begin_at",
            "end_at",
            "came_at",
            "gone_from_at",
            "is_fenced",
            "is_bounced",
            "is_registered_anew",
        )
    )


def gone_from_at() -> pl.Expr:
    """Since when the process of a session can have been gone. A bounce is noticed as late as the next process comes. In
    ZooKeeper mode, where nothing tells since when it was silent, terms are missing before: it may have been back."""
    is_bounced = (col("left_how") == BOUNCED).fill_null(value=False)
    in_zookeeper = when(col("mode") == "zookeeper").then("left_at")
    return when(~is_bounced).then(pl.coalesce("silent_from_at", in_zookeeper))


def with_led_before(sessions: pl.DataFrame, seeds: pl.DataFrame) -> pl.DataFrame:
    """led_before_count of seeds that asked to be shut down so early that the intervals of that time are not given."""
    known = seeds.select(*SESSION, known_count="led_before_count", is_known=lit(value=True))
    count = when("is_known").then("known_count").otherwise("led_before_count")
    return (
        sessions.join(known, on=SESSION, how="left")
        .with_columns(led_before_count=count)
        .drop("known_count", "is_known")
    )
