"""The gauges of Kafka's controller, rebuilt from what was published: each with its steps over time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from polars import col, lit, when

from jobs.questions.active_controller import active
from jobs.questions.answers import Answers
from jobs.questions.context_partitions import TIMELINE, UNDETERMINED
from jobs.questions.context_rows import NOT_SOUGHT
from jobs.questions.deletion_course import stages
from jobs.questions.gauge_steps import Window, stretches, summed, told
from jobs.questions.rows import Row
from jobs.questions.tenures import KRAFT, ZOOKEEPER, missing_lines, tenures
from pipeline.core.conditions import equals
from pipeline.core.stretches import TIME
from schemas.gold.leader_imbalance import CREATION_UNSEEN

ACTIVE = "ActiveControllerCount"
# Kafka's names (kafka.controller:type=KafkaController), with what they count.
GAUGES = {
    ACTIVE: "1 on the node that acts as controller, 0 on the others.",
    "ActiveBrokerCount": "Live brokers, in KRaft those that are not fenced.",
    "FencedBrokerCount": "Registered brokers that are fenced (KRaft).",
    "OfflinePartitionsCount": "Partitions without a leader, those of topics queued for deletion left out.",
    "PreferredReplicaImbalanceCount": "Partitions whose leader is not the preferred one.",
    "GlobalTopicCount": "Topics.",
    "GlobalPartitionCount": "Partitions.",
    "TopicsToDeleteCount": "Topics queued for deletion (ZooKeeper).",
    "ReplicasToDeleteCount": "Replicas of these topics that are not deleted yet.",
    "TopicsIneligibleToDeleteCount": "Of these topics those whose deletion is put off.",
    "ReplicasIneligibleToDeleteCount": "Of these replicas those that cannot be deleted now.",
}
DELETION = tuple(name for name in GAUGES if "ToDelete" in name)
SPAN = ("valid_from_at", "valid_until_at")
HELD = (
    *(
        "leader",
        "is_served",
        "unserved_why",
        "isr",
        "replicas",
        "is_assignment_stale",
        "adding_replicas",
        "is_deleting",
    ),
    *("topic_id", "certainty"),
)


@dataclass(frozen=True)
class Gauge:
    """node: where it is one per node. steps: at, value from then on; null: the logs do not tell."""

    name: str
    node: int | None
    steps: pl.DataFrame


def gauges(answers: Answers, window: Window) -> list[Gauge]:
    """In the order of GAUGES. Those that Kafka has not in the mode of the cluster are left out."""
    terms = tenures(answers)
    nodes = active(answers, terms, window).items()
    found = [Gauge(ACTIVE, node, steps) for node, steps in nodes]
    found += [*of_brokers(answers, terms, window), *of_partitions(answers, terms, window)]
    order = {name: place for place, name in enumerate(GAUGES)}
    return sorted(found, key=lambda one: (order[one.name], one.node if one.node is not None else -1))


def told_terms(answers: Answers, terms: pl.DataFrame) -> pl.DataFrame:
    """(from_at, until_at): when what the cluster held is told. ZooKeeper: while a controller is in office whose start
    was read, as it lists there what it finds, and until lines of it are missing; without one no controller has a value.
    KRaft: from its first controller on, as every controller keeps all of it, in office or not; but not where the
    metadata log began before the logs."""
    of_zookeeper = terms.filter(col("mode") == ZOOKEEPER, "is_begin_seen")
    gaps = missing_lines(answers, of_zookeeper["controller_id"].unique().to_list())
    missing = gaps.select(controller_id="node_id", lost_at="from_at")
    lost = (
        of_zookeeper.join(missing, on="controller_id", how="left")
        .filter((col("lost_at") >= col("began_at")).fill_null(value=False))
        .group_by("term_id")
        .agg(col("lost_at").min())
    )
    ends = pl.min_horizontal("until_at", "superseded_at", "lost_at")
    in_office = of_zookeeper.join(lost, on="term_id", how="left").select(from_at="began_at", until_at=ends)
    of_kraft = terms.filter(col("mode") == KRAFT).select(from_at=col("began_at").min())
    doubted = answers.rows("gold.leader_imbalance", equals("reason", CREATION_UNSEEN), ("valid_from_at",))
    unseen_at = lit(doubted["valid_from_at"].min(), TIME)
    quorum = of_kraft.drop_nulls().with_columns(until_at=unseen_at)
    both = pl.concat([in_office, quorum.select("from_at", "until_at")])
    return both.filter(col("until_at").is_null() | (col("until_at") > col("from_at")))


def of_brokers(answers: Answers, terms: pl.DataFrame, window: Window) -> list[Gauge]:
    """A broker that goes down is counted until the controller notices, as Kafka's gauge does. Without any list of live
    brokers, there is nothing to tell."""
    stays = answers.rows(
        "gold.broker_session", None, ("broker_id", "mode", "joined_at", "joined_how", "left_at")
    )
    listed_at = stays.filter(col("joined_how") != "before_data")["joined_at"].min()
    listed = stretches([(listed_at, None, 1)] if isinstance(listed_at, datetime) else [])
    in_office = told_terms(answers, terms)
    since = pl.max_horizontal("from_at", lit(listed_at, TIME))
    known = in_office.with_columns(from_at=since) if len(listed) else in_office.clear()
    # A stay of ZooKeeper mode goes on where the cluster is taken over: the broker counts once.
    following = col("joined_at").shift(-1).over("broker_id", order_by="joined_at")
    ends = pl.min_horizontal("left_at", following)
    live = stays.select(from_at="joined_at", until_at=ends, weight=lit(1, pl.Int64))
    found = [Gauge("ActiveBrokerCount", None, told(summed(live, window), known, None, window))]
    of_kraft = stays.filter(col("mode") == KRAFT)
    if not of_kraft.is_empty():
        away = fenced(answers, terms, of_kraft)
        begun = pl.max_horizontal("from_at", lit(terms.filter(col("mode") == KRAFT)["began_at"].min(), TIME))
        is_left = col("until_at").is_null() | (col("until_at") > col("from_at"))
        kraft = known.with_columns(from_at=begun).filter(is_left)
        found.append(Gauge("FencedBrokerCount", None, told(summed(away, window), kraft, None, window)))
    return found


def fenced(answers: Answers, terms: pl.DataFrame, stays: pl.DataFrame) -> pl.DataFrame:
    """From when a broker is fenced until it is unfenced or unregistered: until then it stays registered. Of the lines
    that say the latter those of the controller in office: others are printed as old records are replayed."""
    said = answers.rows(
        "silver.broker_event", equals("step", "unregistered"), ("node_id", "broker_id", "logged_at")
    )
    at, ends = col("logged_at"), pl.min_horizontal("until_at", "superseded_at")
    in_office = terms.select("began_at", node_id="controller_id", end_at=ends)
    gone = (
        said.join(in_office, on="node_id", how="inner")
        .filter(at >= col("began_at"), col("end_at").is_null() | (at < col("end_at")))
        .select("broker_id", "logged_at")
    )
    back = col("joined_at").shift(-1).over("broker_id", order_by="joined_at")
    left = stays.with_columns(back_at=back).filter(col("left_at").is_not_null())
    ended = (
        left.join(gone, on="broker_id", how="left")
        .with_columns(gone_at=when(col("logged_at") >= col("left_at")).then("logged_at"))
        .group_by("broker_id", "left_at", "back_at")
        .agg(col("gone_at").min())
    )
    ends = pl.min_horizontal("back_at", "gone_at")
    return ended.select(from_at="left_at", until_at=ends, weight=lit(1, pl.Int64))


def of_partitions(answers: Answers, terms: pl.DataFrame, window: Window) -> Iterator[Gauge]:
    known = told_terms(answers, terms)
    held = answers.rows(TIMELINE, window.touches(*SPAN), (*HELD, *SPAN))
    spans = held.select(pl.all().exclude(SPAN), from_at=SPAN[0], until_at=SPAN[1], weight=lit(1, pl.Int64))
    lives = answers.rows("gold.topic_lifecycle", window.touches("first_seen_at", "ended_at")).filter(
        col("created_how") != "no_topic"
    )
    begin = pl.coalesce("created_at", "first_seen_at")
    topics = lives.select(from_at=begin, until_at="ended_at", weight=lit(1, pl.Int64))
    yield Gauge("GlobalTopicCount", None, told(summed(topics, window), known, None, window))
    unlisted = without_list(answers, lives)
    # Those of a topic that is being deleted are there until it is gone, though their states are not.
    added = lives.select("ended_at", "partitions").explode("partitions").drop_nulls("partitions")
    born = col("partitions").struct.field("added_at")
    parts = added.select(from_at=born, until_at="ended_at", weight=lit(1, pl.Int64))
    yield Gauge("GlobalPartitionCount", None, told(summed(parts, window), known, unlisted, window))
    for name, (is_counted, is_unknown) in PARTITIONS.items():
        value, unsure = spans.filter(is_counted), spans.filter(is_unknown).select("from_at", "until_at")
        unknown = pl.concat([unsure, unlisted])
        yield Gauge(name, None, told(summed(value, window), known, unknown, window))
    if any(one == ZOOKEEPER for one in terms["mode"]):
        yield from of_deletions(lives, known, window)


def preferred() -> pl.Expr:
    """ZooKeeper, from 2.4: while a replica is being added that is to lead, it counts once that one is in sync.
    Source: KafkaController.updateMetrics (2.4), ControllerContext.hasPreferredLeader (2.5 to 3.9); KRaft:
    PartitionRegistration.hasPreferredLeader."""
    head = col("replicas").list.first()
    is_added = col("topic_id").is_null() & col("adding_replicas").list.contains(head).fill_null(value=False)
    is_in_sync = col("isr").list.contains(head).fill_null(value=False)
    return when(is_added).then(~is_in_sync).otherwise(col("leader") == head)


THERE, IS_SURE = ~col("is_deleting"), col("certainty") != UNDETERMINED
# By gauge: which intervals of partitions it counts, and which ones make it unknown.
PARTITIONS = {
    "OfflinePartitionsCount": (
        THERE & ~col("is_served") & (col("unserved_why") != "never_led"),
        THERE & ~IS_SURE & col("is_served").is_null(),
    ),
    "PreferredReplicaImbalanceCount": (
        THERE & col("leader").is_not_null() & ~preferred(),
        THERE & (~IS_SURE | col("is_assignment_stale")).fill_null(value=False),
    ),
}


def without_list(answers: Answers, lives: pl.DataFrame) -> pl.DataFrame:
    """(from_at, until_at): while there is a topic of ZooKeeper mode that was there before the logs, until a controller
    that starts prints all its partitions; before that nobody tells how many a topic has."""
    dumps = answers.rows("silver.state_dump", equals("machine", "partition"), ("logged_at", "is_complete"))
    listed_at = dumps.filter("is_complete").select(listed_at="logged_at").unique().sort("listed_at")
    old = lives.filter(col("mode") == ZOOKEEPER, col("created_how") != "created").sort("first_seen_at")
    following = old.join_asof(
        listed_at, left_on="first_seen_at", right_on="listed_at", strategy="forward", check_sortedness=False
    )
    ends = pl.min_horizontal("listed_at", "ended_at")
    return following.select(from_at="first_seen_at", until_at=ends)


def of_deletions(lives: pl.DataFrame, known: pl.DataFrame, window: Window) -> Iterator[Gauge]:
    asked = lives.filter(
        col("mode") == ZOOKEEPER,
        col("deletion_requested_at").is_not_null(),
        ~col("deletion_state").is_in(NOT_SOUGHT),
    )
    rows = [one for life in asked.iter_rows(named=True) for one in deletion_stages(life)]
    of_zookeeper = known.filter(col("until_at").is_not_null() | (col("from_at") < lit(window.until)))
    for name in DELETION:
        counted = stretches((begin, end, each[name] or 0) for begin, end, each in rows)
        unsure = stretches((begin, end, 1) for begin, end, each in rows if each[name] is None)
        steps = told(summed(counted, window), of_zookeeper, unsure.select("from_at", "until_at"), window)
        yield Gauge(name, None, steps)


def deletion_stages(life: Row) -> Iterator[tuple[datetime, datetime | None, dict[str, int | None]]]:
    found = stages(life)
    ends = [*(one.at for one in found[1:]), life["ended_at"]]
    for stage, end in zip(found, ends, strict=True):
        counts = (1, stage.left, int(stage.state == "put_off"), len(stage.ineligible))
        yield stage.at, end, dict(zip(DELETION, counts, strict=True))
