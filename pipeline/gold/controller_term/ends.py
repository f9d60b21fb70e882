"""When and how a term ended, and what was between it and the next one."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.releases import bits, members
from pipeline.kafka.tenures import LIVE, in_turn

CHANGED = "broker_change"
OBSERVED = "controller_observed_leader"
NEARBY_MS = 5_000
# Without an event thread nothing tells a shutdown; 0.8 does not even say that it resigns.
WITHOUT_THREAD = members(bits("0.8.0", "0.10.2"))
WITHOUT_RESIGNATION = members(bits("0.8.0", "0.8.2"))
STATES_AT_INFO = members(bits("2.6.0", "current"))
RESIGNED = ("shutdown", "session_expired", "znode_gone", "renounced", "event_failed")


def with_next_view(term: DataFrame, broker_event: DataFrame, controller_event: DataFrame) -> DataFrame:
    """Whether the next controller found this broker alive when it started, and whether it is the only one that could
    be elected: no list of live brokers names another; in KRaft no other one was elected, or heard of a leader."""
    named = broker_event.where(F.col("event").isin(LIVE, CHANGED) & F.col("broker_id").isNotNull())
    brokers = named.groupBy("cluster_id").agg(F.collect_set("broker_id").alias("brokers"))
    is_alive = F.array_contains(F.lead("live_brokers").over(in_turn()), F.col("controller_id"))
    quorum = quorum_of(term, controller_event)
    others = F.array_except(
        F.when(F.col("mode") == "kraft", F.col("quorum")).otherwise(F.col("brokers")),
        F.array("controller_id"),
    )
    return (
        term.join(F.broadcast(brokers), on="cluster_id", how="left")
        .join(F.broadcast(quorum), on="cluster_id", how="left")
        .withColumn("is_alive_next", F.when(F.col("is_succeeded"), is_alive))
        .withColumn("is_alone", F.size(others) == 0)
        .drop("brokers", "quorum")
    )


def quorum_of(term: DataFrame, controller_event: DataFrame) -> DataFrame:
    """Per cluster the nodes that are seen to be KRaft controllers."""
    led = term.where("mode = 'kraft'").select("cluster_id", "controller_id")
    heard = controller_event.where(F.col("event") == OBSERVED).select("cluster_id", "node_id")
    nodes = led.unionAll(heard).groupBy("cluster_id")
    return nodes.agg(F.collect_set("controller_id").alias("quorum"))


def releases(term: DataFrame, release_span: DataFrame) -> DataFrame:
    """One row per term of which a release is known: what all the releases print that its controller may have run."""

    def among(names: list[str]) -> Column:
        return F.forall("s.releases", lambda one: one.isin(names))

    is_its_own = (
        (F.col("s.cluster_id") == F.col("t.cluster_id"))
        & (F.col("s.node_id") == F.col("t.controller_id"))
        & (F.col("s.valid_until_at") > F.col("t.first_seen_at"))
        & (F.col("s.valid_from_at") <= F.col("t.last_seen_at"))
    )
    may_be_silent = F.exists("s.releases", lambda one: one.isin(WITHOUT_RESIGNATION))
    return (
        term.alias("t")
        .join(F.broadcast(release_span).alias("s"), is_its_own, how="inner")
        .groupBy("t.cluster_id", "t.term_id")
        .agg(
            F.bool_and(among(WITHOUT_THREAD)).alias("is_without_thread"),
            F.bool_or(may_be_silent).alias("may_be_silent"),
            F.bool_and(among(STATES_AT_INFO)).alias("is_stated_at_info"),
        )
    )


def vacancies(term: DataFrame, controller_event: DataFrame) -> DataFrame:
    """One row per KRaft term after which a controller heard, before a next one was active, that nobody leads.

    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 3.3.
    """
    is_after = (
        (F.col("t.cluster_id") == F.col("m.cluster_id"))
        & (F.col("m.controller_epoch") > F.col("t.controller_epoch"))
        & (F.col("m.logged_at") > F.col("t.began_at"))
        & (F.col("t.superseded_at").isNull() | (F.col("m.logged_at") < F.col("t.superseded_at")))
    )
    heard = controller_event.where((F.col("event") == OBSERVED) & F.col("active_controller_id").isNull())
    line = F.struct("m.file_id", "m.byte_offset")
    return (
        F.broadcast(term.where("mode = 'kraft'").alias("t"))
        .join(heard.alias("m"), is_after, how="inner")
        .groupBy("t.cluster_id", "t.term_id")
        .agg(
            F.min("m.logged_at").alias("vacant_from_at"),
            F.min_by(line, F.struct("m.logged_at", line)).alias("vacant_line"),
        )
    )


def with_end(term: DataFrame) -> DataFrame:
    """ended_how and when; where only silence tells, the last line of the term."""
    how = F.col("ended_how")
    by_resigning = how.isin(*RESIGNED) | (how.isNull() & F.col("resigning_at").isNotNull())
    # A KRaft process prints lines before the one that says that it is new: those after the next election are its.
    is_last = (how == "crashed") | (
        (how == "process_end") & (F.col("last_line_at") <= F.col("superseded_at"))
    )
    ends = (
        (by_resigning, "resigning_at", "resigning_line"),
        (how == "forced", "forced_at", "forced_line"),
        (how == "startup_failed", "failed_at", "failed_line"),
        (is_last, "last_line_at", "last_line"),
    )
    at = F.coalesce(*(F.when(is_so, F.col(moment)) for is_so, moment, _ in ends))
    line = F.coalesce(*(F.when(is_so, F.col(said)) for is_so, _, said in ends))
    decided = F.when(F.col("mode") == "kraft", kraft_end()).otherwise(zookeeper_end())
    return term.withColumn("ended_how", decided).withColumns({"ended_at": at, "end_line": line})


def zookeeper_end() -> Column:
    """The closed list, decided in order; null where the evidence does not decide."""
    resigned = F.col("resigning_at").isNotNull()
    has_own_log = F.col("elected_at").isNotNull()
    return (
        F.when(F.col("failed_at").isNotNull(), "startup_failed")
        .when(resigned & near("stopped_at"), "shutdown")
        .when(resigned & near("forced_at"), "forced")
        .when(resigned & near("expired_at"), "session_expired")
        .when(resigned & F.col("is_alive_next"), "znode_gone")
        .when(resigned & ~F.col("is_alive_next") & is_true("is_without_thread"), "shutdown")
        .when(resigned & ~F.col("is_alive_next"), "session_expired")
        .when(resigned, F.lit(None))
        .when(F.col("restarted_at").isNotNull() & is_true("may_be_silent"), F.lit(None))
        .when(F.col("restarted_at").isNotNull(), F.when(has_own_log, "crashed"))
        .when(F.col("superseded_at").isNull(), F.when(F.col("last_line_at").isNotNull(), "open"))
        .otherwise("superseded_unseen")
    )


def kraft_end() -> Column:
    """The same for KRaft; a last controller is over, nobody knows how, where another heard that nobody leads."""
    is_open = F.col("last_line_at").isNotNull() & F.col("vacant_from_at").isNull()
    is_by_event = F.col("renounced_by") == "controller_event_failed"
    return (
        F.when(F.col("resigning_at").isNotNull(), F.when(is_by_event, "event_failed").otherwise("renounced"))
        .when(F.col("restarted_at").isNotNull() & F.col("last_line_at").isNotNull(), "process_end")
        .when(F.col("superseded_at").isNull(), F.when(is_open, "open"))
        .otherwise("superseded_unseen")
    )


def is_true(flag: str) -> Column:
    return is_true_of(F.col(flag))


def is_true_of(flag: Column) -> Column:
    return F.coalesce(flag, F.lit(False))


def near(mark: str) -> Column:
    gap = F.abs(F.unix_millis(mark) - F.unix_millis("resigning_at"))
    return F.coalesce(gap <= NEARBY_MS, F.lit(False))


def with_gap(term: DataFrame) -> DataFrame:
    """From the end to the next election, and why there was a gap. In KRaft a controller whose process ended has ended
    at its last line at the earliest: the gap is an upper bound, as that of one that crashed."""
    gap_ms = F.unix_millis("superseded_at") - F.unix_millis("ended_at")
    follows_itself = F.col("is_alone") & (F.col("next_controller_id") == F.col("controller_id"))
    kind = (
        F.when(F.col("superseded_at").isNull(), F.lit(None))
        .when(F.col("gap_ms") < 0, "none")
        .when(F.col("gap_ms").isNull() | F.col("ended_how").isNull(), "unknown")
        .when(is_true_of(follows_itself), "sole_broker")
        .when(F.col("ended_how") == "crashed", "session_timeout")
        .when(F.col("ended_how") == "process_end", "fetch_timeout")
        .otherwise("handover")
    )
    vacant_from_at = F.when(F.col("is_succeeded") | F.col("superseded_at").isNull(), F.col("vacant_from_at"))
    return (
        term.withColumn("gap_ms", F.when(F.col("is_succeeded"), gap_ms))
        .withColumn("vacant_from_at", vacant_from_at)
        .withColumn("gap_kind", kind)
    )
