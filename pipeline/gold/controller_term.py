"""Tenures of controllers: from election to end, and how each ended."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from schemas.gold.controller_term import SPEC

STARTED = ("starting", "thread_starting")
STOPPED = ("thread_stopping", "thread_shut_down")
EXPIRED = ("session_expired", "session_expired_in_office")
LIVE = "controller_live_brokers"
NEARBY_MS = 5_000


def build(
    term: DataFrame, controller_line: DataFrame, controller_event: DataFrame, broker_event: DataFrame
) -> DataFrame:
    """One row per term.

    Ended: by the first of resignation and process start on that node after the election; a resignation is a
    shutdown if the event thread stops with it, else forced, session_expired or znode_gone, the last two told
    apart by whether the next controller found this broker alive. Up to 0.8.2 no resignation is logged; in
    KRaft mode the end is not decided here (null). Source: KafkaController.onControllerResignation.
    """
    order = Window.partitionBy("cluster_id", "mode").orderBy("life", "controller_epoch")
    own = Window.partitionBy("cluster_id", "controller_id").orderBy("life", "controller_epoch")
    began = F.coalesce("elected_at", "first_seen_at")
    return (
        term.withColumn("began_at", began)
        .withColumn("superseded_at", F.lead("began_at").over(order))
        .withColumn("next_term_id", F.lead("term_id").over(order))
        .withColumn("next_epoch", F.lead(F.struct("life", "controller_epoch")).over(order))
        .withColumn("next_own_at", F.lead("began_at").over(own))
        .transform(with_last_act, controller_line)
        .transform(with_marks, controller_event)
        .withColumn("next_election", F.lead("election").over(order))
        .transform(with_next_view, controller_line, broker_event)
        .transform(with_end)
        .select(*SPEC.columns)
    )


def with_last_act(term: DataFrame, controller_line: DataFrame) -> DataFrame:
    acts = controller_line.groupBy("cluster_id", "term_id").agg(
        F.max("logged_at").alias("last_line_at"),
        F.max_by(place(), F.struct("logged_at", "seq")).alias("last_line"),
        F.min(F.when(F.col("event") == "controller_ready", F.col("logged_at"))).alias("ready_at"),
    )
    return term.join(acts, on=["cluster_id", "term_id"], how="left").withColumn(
        "last_act_at", F.coalesce("last_line_at", "last_seen_at")
    )


def with_marks(term: DataFrame, controller_event: DataFrame) -> DataFrame:
    """First resignation and first process start of the node after the election and before its next one.

    election: the line that elects, and up to 2.0 the one that then tells the epoch.
    """
    step = F.col("m.step")
    happens = F.col("m.logged_at")
    of_it = (
        (F.col("t.cluster_id") == F.col("m.cluster_id"))
        & (F.col("t.controller_id") == F.coalesce("m.node_id", "m.controller_id"))
        & (F.col("m.logged_at") > F.col("t.began_at"))
        & (F.col("t.next_own_at").isNull() | (F.col("m.logged_at") < F.col("t.next_own_at")))
    )
    found = (
        term.alias("t")
        .join(controller_event.alias("m"), of_it, how="inner")
        .groupBy("t.cluster_id", "t.term_id")
        .agg(
            F.min(F.when(step == "resigning", happens)).alias("resigning_at"),
            F.min_by(place("m."), F.when(step == "resigning", happens)).alias("resigning_line"),
            F.min_by(place("m."), F.when(step == "epoch_incremented", happens)).alias("epoch_line"),
            F.min(F.when(step.isin(*STARTED), happens)).alias("restarted_at"),
            F.min(F.when(step.isin(*STOPPED), happens)).alias("stopped_at"),
            F.min(F.when(step.isin(*EXPIRED), happens)).alias("expired_at"),
            F.min(F.when(step == "forced", happens)).alias("forced_at"),
        )
    )
    lines = F.array_compact(F.array(place(), "epoch_line"))
    return term.join(found, on=["cluster_id", "term_id"], how="left").withColumn("election", lines)


def place(of: str = "") -> Column:
    return F.struct(F.col(f"{of}file_id"), F.col(f"{of}byte_offset"))


def with_next_view(term: DataFrame, controller_line: DataFrame, broker_event: DataFrame) -> DataFrame:
    """Whether the next controller found this broker alive when it started."""
    lines = controller_line.where(F.col("event") == LIVE).select("term_id", "file_id", "byte_offset")
    views = (
        broker_event.where((F.col("event") == LIVE) & F.col("broker_id").isNotNull())
        .select("file_id", "byte_offset", "broker_id")
        .join(lines, on=["file_id", "byte_offset"], how="inner")
        .groupBy(F.col("term_id").alias("next_term_id"))
        .agg(F.collect_set("broker_id").alias("alive"))
    )
    return term.join(views, on="next_term_id", how="left").withColumn(
        "is_alive_next", F.array_contains("alive", F.col("controller_id"))
    )


def ended_how() -> Column:
    """The closed list, decided in order."""
    resigned = F.col("resigning_at").isNotNull() & (
        F.col("restarted_at").isNull() | (F.col("resigning_at") <= F.col("restarted_at"))
    )
    return (
        F.when(F.col("mode") == "kraft", F.when(F.col("superseded_at").isNull(), "open"))
        .when(resigned & near("stopped_at"), "shutdown")
        .when(resigned & near("forced_at"), "forced")
        .when(resigned & near("expired_at"), "session_expired")
        .when(resigned & F.col("is_alive_next"), "znode_gone")
        .when(resigned & ~F.col("is_alive_next"), "session_expired")
        .when(resigned, F.lit(None))
        .when(F.col("restarted_at").isNotNull(), "crashed")
        .when(F.col("superseded_at").isNull(), "open")
        .otherwise("superseded_unseen")
    )


def is_followed() -> Column:
    """Whether the next term seen is the next one that there was."""
    return (F.col("next_epoch.life") == F.col("life")) & (
        F.col("next_epoch.controller_epoch") == F.col("controller_epoch") + 1
    )


def near(mark: str) -> Column:
    gap = F.abs(F.unix_millis(mark) - F.unix_millis("resigning_at"))
    return F.coalesce(gap <= NEARBY_MS, F.lit(False))


def with_end(term: DataFrame) -> DataFrame:
    ended_at = F.when(F.col("ended_how").isin("open", "superseded_unseen"), F.lit(None)).otherwise(
        F.when(F.col("ended_how") == "crashed", F.col("last_act_at")).otherwise(F.col("resigning_at"))
    )
    return (
        term.withColumn("ended_how", ended_how())
        .withColumn("ended_at", ended_at)
        .withColumn("ready_ms", F.unix_millis("ready_at") - F.unix_millis("elected_at"))
        .withColumn(
            "gap_ms", F.when(is_followed(), F.unix_millis("superseded_at") - F.unix_millis("ended_at"))
        )
        .withColumn("evidence", evidence())
    )


def evidence() -> Column:
    """The lines of its election, of its end and of the next election, as far as there are such."""
    end_line = F.when(F.col("ended_how") == "crashed", F.col("last_line")).when(
        F.col("ended_at") == F.col("resigning_at"), F.col("resigning_line")
    )
    following = F.coalesce("next_election", "election")
    return F.array_distinct(F.concat("election", F.array_compact(F.array(end_line)), following))
