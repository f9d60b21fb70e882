"""Since when at most a partition was served by nobody: before a controller notices it, its leader is silent a while."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.departures import AT_STARTUP

# ZooKeeper finds an expired session at its next tick (tickTime, 3 s as shipped).
TICK_SECONDS = 3
# What a KRaft controller needs beyond the time-out until it has fenced a broker.
LATE_SECONDS = 1
UNSAID, FENCED = "missing_in_list", "uncontrolled"
# What the controller does by itself, and not because a broker is gone.
OWN_ACTS = ("topic creation", "partitions added", "log-dir failure", "reassignment")


def with_bounds(found: DataFrame, term: DataFrame, session_limit: DataFrame) -> DataFrame:
    """Outages (noticed_at, ended_at, root_event, root_left_how, old_leader, is_absent, term_id, certainty) with
    unserved_from_at, low_ms and high_ms.

    session_limit: (cluster_id, session_seconds, kraft_session_seconds), zookeeper.session.timeout.ms and
    broker.session.timeout.ms. Undetermined where a term between was not seen or a list misses a broker unsaid.
    """
    is_startup = F.col("root_left_how") == AT_STARTUP
    in_kraft = silent_in_kraft(F.col("root_left_how"), F.col("noticed_at"))
    unserved = F.when(F.col("mode") == "zookeeper", unserved_in_zookeeper()).when(
        F.col("mode") == "kraft", in_kraft
    )
    is_guess = (F.col("root_left_how") == UNSAID) | (is_startup & F.col("last_seen_before_at").isNull())
    return (
        found.join(F.broadcast(of_terms(term)), on=["cluster_id", "term_id"], how="left")
        .join(F.broadcast(session_limit), on="cluster_id", how="left")
        .withColumn("unserved_from_at", unserved)
        .withColumn("certainty", F.when(is_guess, "undetermined").otherwise(F.col("certainty")))
        .withColumn("low_ms", milliseconds("noticed_at"))
        .withColumn(
            "high_ms", F.when(F.col("ended_how") != "lines_missing", milliseconds("unserved_from_at"))
        )
    )


def of_terms(term: DataFrame) -> DataFrame:
    """(cluster_id, term_id), mode, elected_at, and of the controller before, if that one was seen, the last line."""
    of_life = Window.partitionBy("cluster_id", "mode", "life").orderBy("controller_epoch")
    follows = F.lag("controller_epoch").over(of_life) == F.col("controller_epoch") - 1
    return term.select(
        *("cluster_id", "term_id", "mode", "elected_at"),
        F.when(follows, F.lag("last_seen_at").over(of_life)).alias("last_seen_before_at"),
    )


def with_silence(stays: DataFrame, term: DataFrame, session_limit: DataFrame) -> DataFrame:
    """Stays of brokers (joined_at, joined_how, left_at, left_how, left_term_id) with silent_from_at: the earliest that
    the broker can have stopped to answer before it was found that it had left; null: it is there, or nothing tells."""
    how, left_at = F.col("left_how"), F.col("left_at")
    # Who is listed may be silent already, who has just registered is not.
    alive_at = F.when(F.col("joined_how").isin("joined", "bounced"), F.col("joined_at"))
    since = F.when(F.col("mode") == "zookeeper", silent_in_zookeeper(how, left_at)).otherwise(
        silent_in_kraft(how, left_at)
    )
    own = of_terms(term).withColumnRenamed("term_id", "left_term_id").drop("mode")
    return (
        stays.join(F.broadcast(own), on=["cluster_id", "left_term_id"], how="left")
        .join(F.broadcast(session_limit), on="cluster_id", how="left")
        .withColumn("silent_from_at", F.when(since.isNotNull(), F.greatest(since, alive_at)))
        .drop("elected_at", "last_seen_before_at", "session_seconds", "kraft_session_seconds")
    )


def unserved_in_zookeeper() -> Column:
    """As long as its leader was silent that left; if none did, what the controller does by itself takes no time to
    notice."""
    how, noticed_at = F.col("root_left_how"), F.col("noticed_at")
    is_own_act = F.col("root_event").isin(*OWN_ACTS) | F.col("old_leader").isNull()
    return F.when(how.isNotNull(), silent_in_zookeeper(how, noticed_at)).when(
        ~F.col("is_absent"), F.when(is_own_act, noticed_at).otherwise(noticed_at - silence())
    )


def silent_in_zookeeper(how: Column, noticed_at: Column) -> Column:
    """A broker whose session expired was silent for no longer than its time-out and a tick before that was noticed.
    Where a controller finds it at its start, before the last line of the controller before; if that one writes again
    later, it was silent for so long, too, before its successor came. Nothing is said where a term between was not
    seen or a list misses a broker unsaid."""
    last_seen_at = F.col("last_seen_before_at")
    seen_at = (
        F.when(how != AT_STARTUP, noticed_at)
        .when(last_seen_at <= noticed_at, last_seen_at)
        .when(last_seen_at > noticed_at, noticed_at - silence())
    )
    return F.when(how != UNSAID, seen_at - silence())


def silence() -> Column:
    return F.make_dt_interval(secs=F.col("session_seconds") + TICK_SECONDS)


def silent_in_kraft(how: Column, noticed_at: Column) -> Column:
    """A broker that is fenced sent no heartbeat for its time-out; who is let go answers until then. A controller that
    takes over waits for as long anew: of those that it fences by then nothing tells since when they are silent.
    Source: BrokerHeartbeatManager, from 2.8."""
    silent = kraft_silence()
    is_watched = F.col("elected_at") + silent < noticed_at
    return F.when(how == FENCED, F.when(is_watched, noticed_at - silent)).when(how.isNotNull(), noticed_at)


def kraft_silence() -> Column:
    """How long a KRaft controller hears nothing of a broker until it has fenced it."""
    return F.make_dt_interval(secs=F.col("kraft_session_seconds") + LATE_SECONDS)


def milliseconds(since: str) -> Column:
    return F.unix_millis("ended_at") - F.unix_millis(since)
