"""Upper bounds of outages: a leader falls silent some time before a controller notices it."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import milliseconds_between
from pipeline.model.brokers.departures import AT_STARTUP, BOUNCED, is_listed_at_start
from pipeline.model.brokers.session_limits import with_session_seconds
from pipeline.model.settings import SessionLimit

# ZooKeeper finds an expired session at its next tick (tickTime, 3 s as shipped).
TICK_SECONDS = 3
# What a KRaft controller needs beyond the time-out until it has fenced a broker.
LATE_SECONDS = 1
START = timedelta(minutes=1)  # how long a controller of ZooKeeper mode takes to start
WIPED = "wiped"  # how an outage ends with another life of the cluster's metadata
UNSAID, FENCED = "missing_in_list", "uncontrolled"
# What the controller does by itself, and not because a broker is gone.
DISK = "log-dir failure"
OWN_ACTS = ("topic creation", "partitions added", DISK, "reassignment")


def with_bounds(
    found: pl.DataFrame,
    term: pl.DataFrame,
    session_limit: SessionLimit,
    broker_setting: pl.DataFrame,
    release_span: pl.DataFrame,
) -> pl.DataFrame:
    """Outages (noticed_at, ended_at, ended_how, root_event, root_left_how, root_broker_id, old_leader, is_absent,
    term_id, certainty) with unserved_from_at, low_ms and high_ms.

    Undetermined where no line shows a term in between, or where a list misses a broker and no line says that it left.
    """
    how, noticed_at, mode = col("root_left_how"), col("noticed_at"), col("mode")
    in_zookeeper = unserved_in_zookeeper()
    said = (session_limit, broker_setting, release_span)
    in_kraft = silent_in_kraft(how, noticed_at, session_limit)
    is_startup_after_unseen = (how == AT_STARTUP) & col("last_seen_before_at").is_null()
    is_guess = (how == UNSAID) | is_startup_after_unseen
    has_seen_end = col("ended_how") != "lines_missing"
    # Nothing tells when the life before ended, but that it had a line then.
    is_wiped = (col("ended_how") == WIPED).fill_null(value=False)
    until_seen_ms = pl.min_horizontal(
        milliseconds_between("noticed_at", "life_seen_at"), milliseconds_between("noticed_at", "ended_at")
    )
    known_ms = pl.max_horizontal(until_seen_ms, 0).fill_null(0)
    return (
        found.with_columns(broker_id=pl.coalesce("root_broker_id", "old_leader"))
        .pipe(with_session_seconds, "noticed_at", *said)
        .join(terms_with_last_seen_before(term), on=["cluster_id", "term_id"], how="left")
        .join(last_of_lives(term), on=["cluster_id", "term_id"], how="left")
        .with_columns(
            unserved_from_at=when(mode == "zookeeper")
            .then(in_zookeeper)
            .when(mode == "kraft")
            .then(pl.coalesce(in_kraft, when(col("root_event") == DISK).then(noticed_at))),
            certainty=when(is_guess).then(lit("undetermined")).otherwise("certainty"),
        )
        .with_columns(
            low_ms=when(is_wiped).then(known_ms).otherwise(milliseconds_between("noticed_at", "ended_at")),
            high_ms=when(has_seen_end).then(milliseconds_between("unserved_from_at", "ended_at")),
        )
        .drop("life_seen_at")
    )


def last_of_lives(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, term_id, life_seen_at): the last line that names a term of the life."""
    life_seen_at = col("last_seen_at").max().over("cluster_id", "mode", "life")
    return term.select("cluster_id", "term_id", life_seen_at=life_seen_at)


def terms_with_last_seen_before(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, term_id), mode, elected_at, begun_at (its first line), and last_seen_before_at: the last line of the
    term just before, null if no line shows that term."""
    life = ("cluster_id", "mode", "life")
    before = col("controller_epoch", "last_seen_at").shift(1).over(life).name.suffix("_before")
    follows = col("controller_epoch_before") == col("controller_epoch") - 1
    return (
        term.sort(*life, "controller_epoch")
        .with_columns(before)
        .select(
            *("cluster_id", "term_id", "mode", "elected_at"),
            begun_at="first_seen_at",
            last_seen_before_at=when(follows).then("last_seen_at_before"),
        )
    )


def with_silence(
    sessions: pl.DataFrame,
    term: pl.DataFrame,
    session_limit: SessionLimit,
    broker_setting: pl.DataFrame,
    release_span: pl.DataFrame,
) -> pl.DataFrame:
    """Sessions of brokers (mode, joined_at, joined_how, left_at, left_how, left_term_id) with silent_from_at: the
    earliest time at which the broker can have stopped to answer before a controller found that it had left. Null: it
    is there, or nothing tells, as of one that a controller finds registered anew as it starts: it may have left at any
    time since the look before."""
    left_at = col("left_at")
    how = when("is_found_at_start").then(lit(AT_STARTUP)).otherwise("left_how")
    # A broker that a list names may be silent already, one that has just registered is not.
    has_registered = col("joined_how").is_in(["joined", "bounced"])
    alive_at = when(has_registered).then("joined_at")
    in_zookeeper = silent_in_zookeeper(how, left_at)
    in_kraft = silent_in_kraft(how, left_at, session_limit)
    is_any_time = col("is_found_at_start") & (col("left_how") == BOUNCED)
    since = when(~is_any_time.fill_null(value=False)).then("silent_from_at")
    its_term = terms_with_last_seen_before(term).rename({"term_id": "left_term_id"}).drop("mode")
    return (
        sessions.with_columns(
            asked_at=pl.coalesce("left_at", "joined_at"), is_found_at_start=is_listed_at_start()
        )
        .pipe(with_session_seconds, "asked_at", session_limit, broker_setting, release_span)
        .join(its_term, on=["cluster_id", "left_term_id"], how="left")
        .with_columns(silent_from_at=when(col("mode") == "zookeeper").then(in_zookeeper).otherwise(in_kraft))
        .with_columns(silent_from_at=when(since.is_not_null()).then(pl.max_horizontal(since, alive_at)))
        .drop(
            "elected_at",
            "begun_at",
            "last_seen_before_at",
            "asked_at",
            "session_seconds",
            "is_found_at_start",
        )
    )


def unserved_in_zookeeper() -> pl.Expr:
    """If a leader left, the partition is unserved from its silence on. If none did, the controller notices at once
    what it does by itself; what it finds at its start without having seen a leader may have been so for ever. Of one
    whose election is not read nothing tells what it finds as it starts."""
    how, noticed_at = col("root_left_how"), col("noticed_at")
    is_own_act = col("root_event").is_in(OWN_ACTS) | col("old_leader").is_null()
    is_found = (col("root_event") == "controller start-up") & col("old_leader").is_null()
    is_at_start = col("elected_at").is_null() & (noticed_at - col("begun_at") <= START)
    without_departure = (
        when(is_found)
        .then(None)
        .when(is_own_act)
        .then(noticed_at)
        .when((is_at_start & (col("root_event") == "unknown")).fill_null(value=False))
        .then(silent_in_zookeeper(lit(AT_STARTUP), noticed_at))
        .otherwise(noticed_at - longest_silence())
    )
    return (
        when(how.is_not_null())
        .then(silent_in_zookeeper(how, noticed_at))
        .when(~col("is_absent"))
        .then(without_departure)
    )


def silent_in_zookeeper(how: pl.Expr, noticed_at: pl.Expr) -> pl.Expr:
    """A broker whose session expired was silent for its time-out and a tick at most before a controller noticed.

    A controller that misses it at its start-up looks back further: to before the last line of the controller before.
    If that one still writes after the start-up, its successor had already missed the broker, which was silent for a
    time-out and a tick before. Null where no line shows a term in between, or where a list misses a broker and no
    line says that it left.
    """
    last_seen_at = col("last_seen_before_at")
    seen_at = (
        when(how != AT_STARTUP)
        .then(noticed_at)
        .when(last_seen_at <= noticed_at)
        .then(last_seen_at)
        .when(last_seen_at > noticed_at)
        .then(noticed_at - longest_silence())
    )
    return when(how != UNSAID).then(seen_at - longest_silence())


def longest_silence() -> pl.Expr:
    """How long a broker is silent at most until ZooKeeper has found that its session expired (session_seconds)."""
    return pl.duration(milliseconds=((col("session_seconds") + TICK_SECONDS) * 1000).cast(pl.Int64))


def silent_in_kraft(how: pl.Expr, noticed_at: pl.Expr, limit: SessionLimit) -> pl.Expr:
    """A broker that is fenced sent no heartbeat for its time-out; one that shuts down answers until then.

    A controller that takes over waits for the whole time-out anew: of brokers that it fences by then, nothing tells
    since when they are silent. Source: BrokerHeartbeatManager, from 2.8.
    """
    silent = kraft_silence(limit)
    is_watched = col("elected_at") + silent < noticed_at
    since_when_fenced = when(is_watched).then(noticed_at - silent)
    return when(how == FENCED).then(since_when_fenced).when(how.is_not_null()).then(noticed_at)


def kraft_silence(limit: SessionLimit) -> timedelta:
    """How long a KRaft controller hears nothing of a broker until it has fenced it."""
    return timedelta(seconds=limit.kraft_session_seconds + LATE_SECONDS)
