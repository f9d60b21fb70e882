"""What registrations tell of sessions of KRaft brokers: which are several, and after which another process came."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

BROKER = ("cluster_id", "broker_id")
SESSION = (*BROKER, "joined_at")
SAYING = ("replay", "broker")
BOUNCED = "bounced"
REGISTERED = ("registered", "registered_again")
REPLAY = "replay"
AT_ONCE = timedelta(seconds=1)  # other nodes replay a decision behind it


def with_later_registrations(sessions: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """is_torn also of sessions in KRaft of which, on the day (UTC) of their end and before it, a line names a broker
    epoch after theirs, or their end is that of a later one: the broker registered anew, and no line says that it left.
    One that bounced did so unfenced.

    Source: ClusterControlManager.registerBroker, from 2.8: a registration has the offset of its record as broker epoch.
    """
    is_named = col("said_by").is_in(SAYING) & col("broker_epoch").is_not_null()
    named = broker_event.filter(is_named).select(
        *BROKER, said_at="logged_at", said_epoch="broker_epoch", is_fence=col("step") == "fenced"
    )
    is_over = (col("mode") == "kraft") & (col("left_how") != BOUNCED) & col("broker_epoch").is_not_null()
    day = col("left_at").dt.truncate("1d")
    until_at = when("is_fence").then(col("left_at") + AT_ONCE).otherwise("left_at")
    is_inside = col("said_at").is_between(
        pl.max_horizontal("joined_at", day),
        pl.min_horizontal(until_at, day + timedelta(days=1)),
        closed="left",
    )
    several = (
        sessions.filter(is_over)
        .select(*SESSION, "left_at", "broker_epoch")
        .join(named, on=BROKER)
        .filter(is_inside, col("said_epoch") > col("broker_epoch"))
        .select(*SESSION, is_several=lit(value=True))
        .unique()
    )
    return (
        sessions.join(several, on=SESSION, how="left", maintain_order="left")
        .with_columns(is_torn=col("is_torn") | col("is_several").fill_null(value=False))
        .drop("is_several")
    )


def with_next_registration(sessions: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """is_registered_anew: of sessions in KRaft: the broker registers before it is in service again, on the day (UTC) on
    which it left, as controllers say it. Who was fenced and lives on is unfenced without that: it is another process.
    A controller that starts prints registrations of long ago once more: one with the session's epoch is its own.

    Source: BrokerLifecycleManager, from 2.8: a process registers once, with an incarnation of its own.
    """
    is_said = col("step").is_in(REGISTERED) & (col("said_by") == REPLAY)
    registered = broker_event.filter(is_said, col("logged_at").is_not_null()).select(
        *BROKER, registered_at="logged_at", registered_epoch="broker_epoch"
    )
    back_at = col("joined_at").shift(-1).over(BROKER, order_by="joined_at")
    anew = (
        sessions.with_columns(back_at=back_at)
        .filter(col("mode") == "kraft")
        .select(*SESSION, "left_at", "broker_epoch", "back_at")
        .join(registered, on=BROKER)
        .filter(
            col("registered_at") >= col("left_at"),
            col("registered_at").dt.truncate("1d") == col("left_at").dt.truncate("1d"),
            (col("registered_at") <= col("back_at") + AT_ONCE).fill_null(value=True),
            (col("registered_epoch") > col("broker_epoch")).fill_null(value=True),
        )
        .select(*SESSION, is_registered_anew=lit(value=True))
        .unique()
    )
    return sessions.join(anew, on=SESSION, how="left", nulls_equal=True, maintain_order="left").with_columns(
        col("is_registered_anew").fill_null(value=False)
    )
