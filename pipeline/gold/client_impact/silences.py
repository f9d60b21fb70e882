"""Brokers that were dead or frozen before a controller noticed, and the partitions that waited for them."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.gold.client_impact.pieces import (
    EARLIER,
    FIRST_LINE,
    LATER,
    LINE,
    as_pieces,
    with_line_of,
    with_served,
)
from pipeline.model.brokers.departures import AT_STARTUP, BOUNCED
from pipeline.model.partitions.statements import PARTITION
from schemas.end_reasons import FAULT, KILLED, SESSION, SIGNALLED, START

UNNOTICED, WAITING = "leader_dead_unnoticed", "acks_waiting"
UNPLANNED = ("uncontrolled", BOUNCED, AT_STARTUP)
# The process was gone: connections to it break.
GONE = (KILLED, FAULT, START, SIGNALLED)
# request.timeout.ms of clients as shipped: a request to a broker that is frozen waits so long.
CLIENT_WAITS = timedelta(seconds=30)
BROKER = ("cluster_id", "broker_id")
OF_SILENCE = (*PARTITION, "broker_id", "left_at")


def silences(broker_session: pl.DataFrame, process_run: pl.DataFrame) -> pl.DataFrame:
    """One row per session that ended without leave of a controller, with what bounds the time in which nobody knew:
    dead_from_at (no earlier than the last line of its process), dead_latest_at (the first sign of it, else left_at),
    hangs_until_at (of a process that was or may have been frozen: until when a client waits for it at most; null: it
    was gone), back_at (when it is there again) and its line (LINE).
    """
    first = col("evidence").list.last().struct
    ended = broker_session.sort(*BROKER, "joined_at").with_columns(
        back_at=col("joined_at").shift(-1).over(BROKER)
    )
    is_said = col("left_how").is_in(UNPLANNED) & (col("certainty") != "undetermined")
    own = process_run.filter(col("next_started_at").is_not_null()).select(
        "cluster_id", last_at="last_line_at", broker_id="node_id", own_at="last_line_at"
    )
    reason, sign = col("end_reason"), when(col("end_reason") != SIGNALLED).then("first_sign_at")
    asked_at = when(reason == SIGNALLED).then("end_reason_at")
    is_frozen = (reason == SESSION).fill_null(value=False)
    dead_from = pl.max_horizontal("silent_from_at", asked_at, when(~is_frozen).then("own_at"))
    known = (
        ended.filter(is_said.fill_null(value=False))
        .with_columns(last_at="left_at")
        .sort("last_at")
        .join_asof(own.drop_nulls("last_at").sort("last_at"), on="last_at", by=BROKER, check_sortedness=False)
        .with_columns(dead_from_at=pl.min_horizontal(dead_from, "left_at"))
        .filter(col("silent_from_at").is_not_null() | col("own_at").is_not_null())
    )
    latest = pl.max_horizontal("dead_from_at", pl.min_horizontal("left_at", sign))
    runs_again = pl.max_horizontal("left_at", "end_reason_at")
    return known.select(
        *BROKER,
        "left_at",
        "back_at",
        "dead_from_at",
        dead_latest_at=latest,
        hangs_until_at=when(is_frozen)
        .then(runs_again)
        .when(~reason.is_in(GONE).fill_null(value=False))
        .then(pl.max_horizontal("left_at", latest + CLIENT_WAITS)),
        is_frozen=is_frozen,
        **{name: first.field(name) for name in LINE},
    )


def silent_partitions(states: pl.DataFrame, gone: pl.DataFrame, of: str) -> pl.DataFrame:
    """States that hold during a silence of a broker that they name in the column `of`, with that silence; the state's
    own line as state_<LINE>. doubt_at: since when one of them, or what comes next, is not known for certain."""
    renamed = states.rename({name: f"state_{name}" for name in LINE}).with_columns(broker_id=col(of))
    both = renamed.join(gone, on=list(BROKER))
    is_during = (col("valid_from_at") < col("left_at")) & (
        col("valid_until_at").is_null() | (col("valid_until_at") > col("dead_from_at"))
    )
    own = when(col("certainty") == "undetermined").then("valid_from_at").otherwise("doubt_at")
    return both.filter(is_during).with_columns(doubt_at=own.min().over(OF_SILENCE))


def unnoticed_deaths(states: pl.DataFrame, gone: pl.DataFrame, leads: pl.DataFrame) -> pl.DataFrame:
    """Partitions led by a broker that was dead or frozen, until a controller had another one lead and that one says
    so; of a frozen one until it runs again, too."""
    led = silent_partitions(states.filter(col("leader") >= 0), gone, "leader")
    last = led.sort("interval_seq").unique(OF_SILENCE, keep="last", maintain_order=True)
    begun = led.group_by(OF_SILENCE).agg(begun_at=col("valid_from_at").min())
    lost_at = pl.min_horizontal("left_at", "valid_until_at")
    own = {"line_at": "own_at", **{f"line_{name}": f"own_{name}" for name in LINE}}
    found = (
        last.join(begun, on=OF_SILENCE)
        .with_columns(lost_at=lost_at)
        .pipe(
            with_line_of,
            leads,
            "broker_id",
            None,
            pl.max_horizontal("dead_latest_at", col("left_at") - EARLIER),
        )
        .rename(own)
        .pipe(with_served, leads, "next_epoch", "next_at")
    )
    # A broker that is back before anybody else leads goes on leading, unless the partition is gone by then.
    is_there = (col("life_ended_at") >= col("back_at")).fill_null(value=True)
    is_back = (col("back_at") < col("next_at")).fill_null(
        col("back_at").is_not_null() & col("next_at").is_null() & is_there
    )
    next_at = when(is_back).then("back_at").otherwise("next_at")
    line_at = pl.min_horizontal("line_at", when(is_back).then("own_at"))
    gone_at = when(next_at.is_null()).then("life_ended_at")
    is_own = (col("own_at") == line_at).fill_null(value=False)
    from_latest_at = pl.max_horizontal("dead_latest_at", "begun_at")
    served_at = pl.min_horizontal(line_at, pl.max_horizontal(next_at, "lost_at"))
    return as_pieces(
        found,
        kind=lit(UNNOTICED),
        from_at=pl.max_horizontal("dead_from_at", "begun_at"),
        from_latest_at=from_latest_at,
        until_earliest_at=pl.coalesce(
            when(next_at.is_not_null()).then(pl.min_horizontal(served_at, "doubt_at")),
            pl.min_horizontal("left_at", gone_at, "doubt_at"),
        ),
        until_at=pl.coalesce(
            when(line_at.is_not_null()).then(pl.max_horizontal(line_at, "hangs_until_at")), gone_at
        ),
        root_event=lit("broker_session"),
        root_broker_id="broker_id",
        root_at="left_at",
        certainty=certainty_before_doubt(from_latest_at),
        **{f"end_{name}": when(is_own).then(f"own_{name}").otherwise(f"line_{name}") for name in LINE},
    )


def certainty_before_doubt(from_at: pl.Expr, is_sure: pl.Expr | None = None) -> pl.Expr:
    """inferred of a silence that began before anything of the partition is in doubt (doubt_at), else undetermined."""
    is_before = (col("doubt_at") > from_at).fill_null(value=True)
    return (
        when(is_before if is_sure is None else is_before & is_sure)
        .then(lit("inferred"))
        .otherwise(lit("undetermined"))
    )


def waiting_for_followers(states: pl.DataFrame, gone: pl.DataFrame) -> pl.DataFrame:
    """Partitions whose ISR names a broker that was dead or frozen and that does not lead them, until their ISR is
    without it or it is back. What an ISR is after a change that no line tells may have been so since then."""
    is_unknown = col("is_isr_stale").fill_null(value=False) | (col("certainty") == "undetermined")
    known_until = when(~is_unknown).then("valid_until_at").shift(1).forward_fill().over(PARTITION)
    several = states.with_columns(
        since_at=pl.coalesce(known_until, col("valid_from_at").first().over(PARTITION))
    ).filter(col("leader") >= 0, col("isr").list.len() > 1)
    members = several.with_columns(member=col("isr")).explode("member").filter(col("member") != col("leader"))
    waits = silent_partitions(members, gone, "member")
    last = waits.sort("interval_seq").unique(OF_SILENCE, keep="last", maintain_order=True)
    begun = waits.group_by(OF_SILENCE).agg(
        begun_at=col("valid_from_at").min(),
        since_at=col("since_at").min(),
        is_stale=col("is_isr_stale").any(),
    )
    end_at = pl.coalesce(pl.min_horizontal("valid_until_at", "back_at"), "hangs_until_at")
    # What comes next is in doubt: the ISR may go on.
    is_open = (col("doubt_at") == col("valid_until_at")).fill_null(value=False)
    is_sure = ~col("is_stale").fill_null(value=True) & ~col("is_frozen")
    latest = pl.max_horizontal("dead_latest_at", "begun_at")
    return as_pieces(
        last.drop("since_at").join(begun, on=OF_SILENCE),
        kind=lit(WAITING),
        from_at=pl.max_horizontal("dead_from_at", "since_at"),
        from_latest_at=latest,
        until_earliest_at=when(is_sure)
        .then(pl.min_horizontal(end_at, when(end_at.is_not_null()).then("doubt_at")))
        .otherwise(pl.min_horizontal(latest, end_at)),
        until_at=when(is_open).then("back_at").otherwise(end_at),
        root_event=lit("broker_session"),
        root_broker_id="broker_id",
        root_at="left_at",
        certainty=certainty_before_doubt(latest, is_sure),
    )


def late_followers(states: pl.DataFrame, leads: pl.DataFrame, follows: pl.DataFrame) -> pl.DataFrame:
    """Leaders that began to lead before all of their ISR followed them, as the lines of both say: until the last of
    them follows the high watermark waits. Whose ISR is in doubt, or is told later than that, may have had others."""
    # Who comes to the ISR later is not waited for: the first state of an epoch counts.
    begun = (
        states.filter(col("leader") >= 0, col("leader_epoch").is_not_null())
        .unique([*PARTITION, "leader_epoch"], keep="first", maintain_order=True)
        .filter(col("isr").list.len() > 1)
    )
    names = (*PARTITION, "leader_epoch", "broker_id")
    first = follows.sort(FIRST_LINE).unique(names, keep="first", maintain_order=True)
    led = leads.sort(FIRST_LINE).unique([*PARTITION, "leader_epoch"], keep="first", maintain_order=True)
    members = begun.with_columns(broker_id=col("isr")).explode("broker_id").join(first, on=list(names))
    is_in_isr = col("valid_until_at").is_null() | (col("line_at") <= col("valid_until_at"))
    is_its_own = (
        is_in_isr & (col("line_at") <= col("valid_from_at") + LATER) & (col("broker_id") != col("leader"))
    )
    last = (
        members.filter(is_its_own)
        .sort(FIRST_LINE)
        .unique([*PARTITION, "leader_epoch"], keep="last", maintain_order=True)
    )
    began = led.select(*PARTITION, "leader_epoch", led_at="line_at")
    waited = last.join(began, on=[*PARTITION, "leader_epoch"]).filter(col("line_at") > col("led_at"))
    is_sure = (col("certainty") != "undetermined") & (col("valid_from_at") <= col("led_at") + EARLIER)
    return as_pieces(
        waited,
        kind=lit(WAITING),
        from_at="led_at",
        from_latest_at="led_at",
        until_earliest_at=when(is_sure).then("line_at").otherwise("led_at"),
        until_at="line_at",
        root_event=lit("partition_timeline"),
        root_broker_id="broker_id",
        root_at="valid_from_at",
        certainty=when(is_sure).then(lit("proved")).otherwise(lit("undetermined")),
        **{f"end_{name}": f"line_{name}" for name in LINE},
    )
