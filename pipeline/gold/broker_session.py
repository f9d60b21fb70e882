"""When each broker was in the cluster and how it left, from the lists of live brokers that controllers print, and in
KRaft from what they decide."""

from datetime import datetime
from functools import partial, reduce

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.departures import (
    with_cleanness,
    with_epochs,
    with_handled,
    with_led,
    with_requests,
    with_torn,
)
from pipeline.kafka.kraft_sessions import kraft_sessions
from pipeline.kafka.succession import with_superseded
from pipeline.kafka.unserved import with_silence
from schemas.gold.broker_session import SPEC

ZOOKEEPER, KRAFT = "zookeeper", "kraft"
LINE = ("cluster_id", "file_id", "byte_offset")
BROKER = ("cluster_id", "broker_id")
AT_STARTUP, CHANGED = "controller_live_brokers", "broker_change"
STEPS = ("live", "joined", "left", "bounced")
FORGOTTEN = "shutdown_forgotten"  # taken from the list of brokers that are shutting down
ORDER = ("at", "life", "controller_epoch", "seq")


def build(
    broker_event: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    partition_timeline: DataFrame,
    session_limit: DataFrame,
    session_before: DataFrame,
    modes: frozenset[str],
    cut: datetime | None,
) -> DataFrame:
    """One row per stay of one broker: those that are open at the cut or end later.

    session_before: rows of this table that begin before the cut: those that reach it, and the last one of each broker.
    partition_timeline: what is open at the cut or begins later. session_limit: see pipeline.kafka.unserved. modes:
    those of the terms; what a mode would add that there is not is left out of the plan.
    Lists of a controller that was superseded by then are left out: they tell what it knew last.
    Source: KafkaController.onControllerFailover, processBrokerChange (BrokerChangeListener up to 0.10.2), 0.8.2 to 3.9.
    """
    seeds = session_before.where(F.col("joined_at") < F.lit(cut).cast("timestamp"))
    found = []
    if ZOOKEEPER in modes:
        reaching = seeds.where(F.col("left_at").isNull() | (F.col("left_at") >= F.lit(cut).cast("timestamp")))
        found.append(in_zookeeper(broker_event, controller_line, term, reaching))
    if KRAFT in modes:
        found.append(kraft_sessions(broker_event, term, seeds, cut))
    return (
        reduce(partial(DataFrame.unionByName, allowMissingColumns=True), found)
        .transform(with_requests, broker_event, term, seeds)
        .transform(with_led, partition_timeline)
        .transform(with_handled, controller_line)
        .transform(with_torn, term)
        .transform(with_cleanness)
        .transform(with_silence, term, session_limit)
        .select(*SPEC.columns)
    )


def in_zookeeper(
    broker_event: DataFrame, controller_line: DataFrame, term: DataFrame, seeds: DataFrame
) -> DataFrame:
    """Stays by the lists of controllers in ZooKeeper mode."""
    lists = listed(broker_event, in_office(controller_line, term))
    known = seeds.where("mode = 'zookeeper'")
    brokers = lists.select("cluster_id", F.explode(F.concat("live", "left")).alias("broker_id"))
    every = brokers.unionByName(known.select(*BROKER)).distinct()
    sighted = (
        lists.join(F.broadcast(every), on="cluster_id")
        .select(
            *BROKER, *ORDER, "term_id", "event_seq", "event", "file_id", "byte_offset",
            *(F.array_contains(name, F.col("broker_id")).alias(f"is_{name}") for name in STEPS),
        )
        .unionByName(known_before(known), allowMissingColumns=True)
    )  # fmt: skip
    return (
        sighted.transform(with_strangers)
        .transform(stays)
        .transform(with_shutdowns, broker_event, controller_line)
        .transform(with_epochs, broker_event, known)
        .withColumn("mode", F.lit(ZOOKEEPER))
    )


def in_office(controller_line: DataFrame, term: DataFrame) -> DataFrame:
    """(LINE, term_id, life, controller_epoch, seq, event_seq, event, at) of lists, without superseded controllers'."""
    terms = (
        term.where("mode = 'zookeeper'")
        .transform(with_superseded)
        .select("cluster_id", "term_id", "life", "controller_epoch", "superseded_at")
    )
    return (
        controller_line.where(F.col("event").isin(AT_STARTUP, CHANGED))
        .select(*LINE, "term_id", "seq", "event_seq", "event", F.col("ordered_at").alias("at"))
        .join(F.broadcast(terms), on=["cluster_id", "term_id"], how="inner")
        .where("superseded_at IS NULL OR at <= superseded_at")
    )


def listed(broker_event: DataFrame, lines: DataFrame) -> DataFrame:
    """Lines with the brokers that each lists as STEPS say; none is an empty list."""
    said = broker_event.where(F.col("event").isin(AT_STARTUP, CHANGED))
    by_step = [F.collect_set(F.when(F.col("step") == step, F.col("broker_id"))).alias(step) for step in STEPS]
    is_unread = F.bool_or((F.col("step") == "live") & F.col("broker_id").isNull())
    named = said.groupBy(*LINE).agg(*by_step, is_unread.alias("is_unread"))
    none = F.array().cast("array<int>")
    return (
        lines.join(named, on=[*LINE], how="left")
        .where(~F.coalesce("is_unread", F.lit(False)))
        .withColumns({step: F.coalesce(step, none) for step in STEPS})
    )


def known_before(seeds: DataFrame) -> DataFrame:
    """Sessions that reach the cut as lists that have their broker."""
    return seeds.select(
        *BROKER, F.col("joined_at").alias("at"), "term_id", "joined_how",
        F.col("evidence")[0]["file_id"].alias("file_id"), F.col("evidence")[0]["byte_offset"].alias("byte_offset"),
        F.lit(True).alias("is_live"), *(F.lit(False).alias(f"is_{name}") for name in STEPS[1:]),
    )  # fmt: skip


def with_strangers(sighted: DataFrame) -> DataFrame:
    """A broker of which the first that is heard is that it left was live until then."""
    until_then = sighted.where("is_left").withColumns(
        {
            "seq": F.col("seq") - 1,
            "is_live": F.lit(True),
            "is_left": F.lit(False),
            "joined_how": F.lit("before_data"),
        }
    )
    return sighted.unionByName(until_then)


def stays(sighted: DataFrame) -> DataFrame:
    """Stretches of lists that have the broker, cut where it bounced. The line that ends one follows its last."""
    order = Window.partitionBy(*BROKER).orderBy(*ORDER)
    was_live = F.coalesce(F.lag("is_live").over(order), F.lit(False))
    place = F.struct("at", "event", "is_bounced", "is_left", "term_id", "event_seq", "file_id", "byte_offset")
    changed = (
        sighted.withColumn("was_live", was_live)
        .where((F.col("is_live") != F.col("was_live")) | (F.col("is_live") & F.col("is_bounced")))
        .withColumn("end", F.lead(place).over(order))
    )
    how_joined = (
        F.when(F.col("joined_how").isNotNull(), F.col("joined_how"))
        .when(F.col("event") == AT_STARTUP, "listed_at_startup")
        .when(F.col("is_bounced"), "bounced")
        .when(F.col("is_joined"), "joined")
        .otherwise("listed")
    )
    lines = F.array(F.struct("file_id", "byte_offset"), F.struct("end.file_id", "end.byte_offset"))
    return changed.where("is_live").select(
        *BROKER,
        F.col("at").alias("joined_at"),
        how_joined.alias("joined_how"),
        F.col("end.at").alias("left_at"),
        F.when(F.col("end.event") == AT_STARTUP, "missing_at_startup")
        .when(F.col("end.is_bounced"), "bounced")
        .when(F.col("end.is_left"), "uncontrolled")
        .when(F.col("end.event").isNotNull(), "missing_in_list")
        .alias("left_how"),
        "term_id",
        F.col("end.term_id").alias("left_term_id"),
        F.col("end.event_seq").alias("left_event_seq"),
        F.when(F.col("end.event").isNull() | F.col("end.is_left") | F.col("end.is_bounced"), "proved")
        .when(F.col("end.event") == AT_STARTUP, "inferred")
        .otherwise("undetermined")
        .alias("certainty"),
        F.filter(lines, lambda one: one["file_id"].isNotNull()).alias("evidence"),
    )


def with_shutdowns(sessions: DataFrame, broker_event: DataFrame, controller_line: DataFrame) -> DataFrame:
    """left_how: controlled where the event that noticed the departure takes the broker off the shutting ones."""
    forgotten = (
        broker_event.where((F.col("step") == FORGOTTEN) & F.col("broker_id").isNotNull())
        .select(*LINE, "broker_id")
        .join(controller_line.select(*LINE, "term_id", "event_seq"), on=[*LINE], how="inner")
        .select(
            *BROKER,
            F.col("term_id").alias("left_term_id"),
            F.col("event_seq").alias("left_event_seq"),
            F.lit(True).alias("is_controlled"),
        )
        .distinct()
    )
    is_controlled = F.col("is_controlled") & (F.col("left_how") == "uncontrolled")
    return sessions.join(
        F.broadcast(forgotten), on=[*BROKER, "left_term_id", "left_event_seq"], how="left"
    ).withColumn("left_how", F.when(is_controlled, "controlled").otherwise(F.col("left_how")))
