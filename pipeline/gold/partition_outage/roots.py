"""The broker at the root of an outage where no list of live brokers tells that its leader left, in ZooKeeper mode."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.brokers.departures import AT_STARTUP, BOUNCED, is_listed_at_start
from pipeline.model.brokers.outage_bounds import UNSAID
from pipeline.model.partitions.statements import PARTITION

OUTAGE = (*PARTITION, "noticed_at")
START_UP, CHOSEN = "controller start-up", "controlled"
UNDETERMINED = "undetermined"
BROKER = ("cluster_id", "broker_id")
EVENT = ("cluster_id", "left_term_id", "left_event_seq")
LINE = ("cluster_id", "file_id", "byte_offset")


def with_shutting_leader(found: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Outages whose leader had asked to be shut down and is still there have it at their root: a controller takes it
    for dead from then on, and finds nobody where all that could lead are being shut down.

    A session that may be several, as lines of a controller are missing, does not say that it is still there.
    Source: ControllerContext.isReplicaOnline, partitionsWithOfflineLeader, which leave out brokers that shut down.
    """
    is_one = (col("mode") == "zookeeper") & (col("certainty") != UNDETERMINED)
    asked = (
        broker_session.filter(is_one, col("shutdown_requested_at").list.len() > 0)
        .with_columns(asked_at=col("shutdown_requested_at").list.first())
        .select("cluster_id", "asked_at", "left_at", old_leader="broker_id")
    )
    is_there = (col("left_at") >= col("noticed_at")).fill_null(value=True)
    leaving = (
        outages_without_root(found)
        .join(asked, on=["cluster_id", "old_leader"])
        .filter(col("asked_at") <= col("noticed_at"), is_there)
        .select(*OUTAGE, broker_id="old_leader", left_how=lit(CHOSEN))
        .unique(OUTAGE)
    )
    return with_root_broker(found, leaving)


def with_departed(found: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Outages of which no leader is known, nor was before a doubt, and that begin in the event of a controller that
    notices that brokers left have one of them at their root, before all one that was not shut down. Whom a list
    misses, or a starting controller finds under another registration, may have left long ago, and so may one that
    bounced without a word: where that list tells of one, or another broker was gone by then, which of them it was is
    not known."""
    is_unsaid_bounce = (col("left_how") == BOUNCED) & (col("certainty") != "proved")
    is_said = ~col("left_how").is_in([AT_STARTUP, UNSAID]) & ~is_listed_at_start() & ~is_unsaid_bounce
    of_event = broker_session.filter(col("left_event_seq") > 0)
    departed = (
        of_event.filter(is_said)
        .join(of_event.filter(~is_said), on=EVENT, how="anti")
        .sort(col("left_how") == CHOSEN, "broker_id")
        .unique(EVENT, keep="first", maintain_order=True)
        .select("cluster_id", "broker_id", "left_how", term_id="left_term_id", event_seq="left_event_seq")
    )
    by_event = ("cluster_id", "term_id", "event_seq")
    is_untold = col("old_leader").is_null() & ~col("is_behind_doubt").fill_null(value=False)
    begun = outages_without_root(found).filter(is_untold).join(departed, on=by_event)
    alone = begun.join(
        brokers_gone_before(begun, broker_session), on=["cluster_id", "noticed_at"], how="anti"
    )
    return with_root_broker(found, alone.select(*OUTAGE, "broker_id", "left_how"))


@needs_rows_of("begun")
def brokers_gone_before(begun: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, noticed_at) of outages (with event_seq) at which another broker had left in an event before, and was
    not there again."""
    moments = begun.select("cluster_id", "noticed_at", "event_seq").unique()
    sessions = broker_session.select(*BROKER, "joined_at", "left_at", "left_event_seq")
    last = (
        moments.join(sessions, on="cluster_id")
        .filter(col("joined_at") <= col("noticed_at"))
        .sort("joined_at")
        .unique(["noticed_at", *BROKER], keep="last", maintain_order=True)
    )
    is_gone = (col("left_at") <= col("noticed_at")) & (col("left_event_seq") != col("event_seq"))
    return last.filter(is_gone.fill_null(value=False)).select("cluster_id", "noticed_at").unique()


def with_only_replica(
    found: pl.DataFrame, state_dump: pl.DataFrame, controller_line: pl.DataFrame, broker_session: pl.DataFrame
) -> pl.DataFrame:
    """Outages that a controller finds when it starts, of partitions whose only replica is on a broker that is not
    there, have it at their root. Replicas: as stated, else as the controller lists them that day when it starts."""
    terms = controller_line.select(*LINE, "term_id")
    listed = (
        state_dump.filter(col("machine") == "replica")
        .join(terms, on=LINE)
        .group_by("cluster_id", "topic", "partition", "term_id", day_at=col("logged_at").dt.truncate("1d"))
        .agg(listed=col("replica_id").unique())
    )
    in_term = ("cluster_id", "topic", "partition", "term_id", "day_at")
    alone = (
        outages_without_root(found)
        .filter(col("root_event") == START_UP)
        .with_columns(day_at=col("noticed_at").dt.truncate("1d"))
        .join(listed, on=in_term, how="left")
        .with_columns(replicas=pl.coalesce("replicas", "listed"))
        .filter(col("replicas").list.len() == 1)
        .select(*OUTAGE, broker_id=col("replicas").list.first())
    )
    is_over = (col("left_at") < col("noticed_at")).fill_null(value=False)
    sessions = broker_session.select(*BROKER, "joined_at", "left_at")
    there = alone.join(sessions, on=BROKER).filter(col("joined_at") <= col("noticed_at"), ~is_over)
    gone = alone.join(there, on=OUTAGE, how="anti")
    return with_root_broker(found, gone.with_columns(left_how=lit(None, pl.String)))


def outages_without_root(found: pl.DataFrame) -> pl.DataFrame:
    return found.filter(col("root_broker_id").is_null(), col("root_left_how").is_null())


def with_root_broker(found: pl.DataFrame, brokers: pl.DataFrame) -> pl.DataFrame:
    """Outages of which brokers (OUTAGE, broker_id, left_how) tells one have it at their root, which is inferred."""
    is_told = col("broker_id").is_not_null()
    is_proved = col("certainty") == "proved"
    return (
        found.join(brokers, on=OUTAGE, how="left")
        .with_columns(
            root_broker_id=pl.coalesce("root_broker_id", "broker_id"),
            root_left_how=pl.coalesce("root_left_how", "left_how"),
            certainty=when(is_told & is_proved).then(lit("inferred")).otherwise("certainty"),
        )
        .drop("broker_id", "left_how")
    )
