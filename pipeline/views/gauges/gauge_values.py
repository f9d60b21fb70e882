"""The gauges of Kafka's controller, rebuilt from what was published: each with its steps over time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import column_equals
from pipeline.core.stretches import TIME
from pipeline.views.context.context_partitions import TIMELINE, UNDETERMINED
from pipeline.views.context.context_rows import LIFE, NOT_SOUGHT
from pipeline.views.context.deletion_course import stages_of_deletion
from pipeline.views.gauges.active_controller import active_controller_steps
from pipeline.views.gauges.counted_partitions import counted_partition_spans
from pipeline.views.gauges.event_manager import BUSY, TOOK, WAITED, event_manager_steps
from pipeline.views.gauges.gauge_steps import GaugeWindow, known_value_steps, sum_weights, weighted_spans
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.terms.tenures import KRAFT, ZOOKEEPER, read_terms
from pipeline.views.terms.told_stretches import known_broker_spans, known_term_spans

ACTIVE = "ActiveControllerCount"
# Kafka's names (kafka.controller:type=KafkaController, and of EVENT_MANAGER), with what they count.
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
    BUSY: "Percent of a minute that the controller's event thread was busy, at least (ZooKeeper).",
    WAITED: "Longest that an event taken up in a minute had stood in the queue, ms, at least (ZooKeeper).",
    TOOK: "Longest that an event of a period took until it was committed, ms (KRaft, from 4.0).",
}
# By minute. Kafka's type of the last two is ControllerEventManager; the first one is ours.
EVENT_MANAGER = (BUSY, WAITED, TOOK)
DELETION = tuple(name for name in GAUGES if "ToDelete" in name)
SPAN = ("valid_from_at", "valid_until_at")
STAY = ("broker_id", "mode", "joined_at", "joined_how", "left_at")
HELD = (
    *("topic", "state"),
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


def gauges_in_window(answers: Answers, window: GaugeWindow) -> list[Gauge]:
    """In the order of GAUGES. Those that Kafka has not in the mode of the cluster are left out."""
    terms = read_terms(answers)
    nodes = active_controller_steps(answers, terms, window).items()
    found = [Gauge(ACTIVE, node, steps) for node, steps in nodes]
    found += [*broker_gauges(answers, terms, window), *of_partitions(answers, terms, window)]
    found += [Gauge(name, None, steps) for name, steps in event_manager_steps(answers, terms, window).items()]
    order = {name: place for place, name in enumerate(GAUGES)}
    return sorted(found, key=lambda one: (order[one.name], one.node if one.node is not None else -1))


def broker_gauges(answers: Answers, terms: pl.DataFrame, window: GaugeWindow) -> list[Gauge]:
    """A broker that goes down is counted until the controller notices, as Kafka's gauge does. Before the first list of
    live brokers there is nothing to tell."""
    stays = answers.rows("gold.broker_session", None, STAY)
    listed_at = stays.filter(col("joined_how") != "before_data")["joined_at"].min()
    since = pl.max_horizontal("from_at", lit(listed_at, TIME))
    is_left = col("until_at").is_null() | (col("until_at") > col("from_at"))
    known = known_broker_spans(answers, terms, stays).with_columns(from_at=since).filter(is_left)
    known = known if isinstance(listed_at, datetime) else known.clear()
    # A stay of ZooKeeper mode goes on where the cluster is taken over: the broker counts once.
    following = col("joined_at").shift(-1).over("broker_id", order_by="joined_at")
    ends = pl.min_horizontal("left_at", following)
    live = stays.select(from_at="joined_at", until_at=ends, weight=lit(1, pl.Int64))
    found = [
        Gauge("ActiveBrokerCount", None, known_value_steps(sum_weights(live, window), known, None, window))
    ]
    of_kraft = stays.filter(col("mode") == KRAFT)
    if not of_kraft.is_empty():
        away = fenced_broker_spans(answers, terms, of_kraft)
        begun = pl.max_horizontal("from_at", lit(terms.filter(col("mode") == KRAFT)["began_at"].min(), TIME))
        kraft = known.with_columns(from_at=begun).filter(is_left)
        found.append(
            Gauge(
                "FencedBrokerCount", None, known_value_steps(sum_weights(away, window), kraft, None, window)
            )
        )
    return found


def fenced_broker_spans(answers: Answers, terms: pl.DataFrame, stays: pl.DataFrame) -> pl.DataFrame:
    """From when a broker is fenced until it is unfenced or unregistered: until then it stays registered. Of the lines
    that say the latter those of the controller in office: others are printed as old records are replayed."""
    said = answers.rows(
        "silver.broker_event", column_equals("step", "unregistered"), ("node_id", "broker_id", "logged_at")
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


def of_partitions(answers: Answers, terms: pl.DataFrame, window: GaugeWindow) -> Iterator[Gauge]:
    known = known_term_spans(answers, terms)
    held = answers.rows(TIMELINE, window.touches(*SPAN), (*HELD, *SPAN))
    spans = held.select(pl.all().exclude(SPAN), from_at=SPAN[0], until_at=SPAN[1], weight=lit(1, pl.Int64))
    lives = answers.rows("gold.topic_lifecycle", window.touches("first_seen_at", "ended_at"), LIFE).filter(
        col("created_how") != "no_topic"
    )
    begin = pl.coalesce("created_at", "first_seen_at")
    topics = lives.select(from_at=begin, until_at="ended_at", weight=lit(1, pl.Int64))
    yield Gauge("GlobalTopicCount", None, known_value_steps(sum_weights(topics, window), known, None, window))
    parts, unknown_parts = counted_partition_spans(answers, terms, lives)
    yield Gauge(
        "GlobalPartitionCount",
        None,
        known_value_steps(sum_weights(parts, window), known, unknown_parts, window),
    )
    for name, (is_counted, is_unknown) in PARTITIONS.items():
        value, unsure = spans.filter(is_counted), spans.filter(is_unknown).select("from_at", "until_at")
        unknown = pl.concat([unsure, unknown_parts])
        yield Gauge(name, None, known_value_steps(sum_weights(value, window), known, unknown, window))
    if any(one == ZOOKEEPER for one in terms["mode"]):
        yield from of_deletions(lives, known, window)


def is_led_by_preferred() -> pl.Expr:
    """ZooKeeper, from 2.4: while a replica is being added that is to lead, it counts once that one is in sync.
    Source: KafkaController.updateMetrics (2.4), ControllerContext.hasPreferredLeader (2.5 to 3.9); KRaft:
    PartitionRegistration.hasPreferredLeader."""
    head = col("replicas").list.first()
    is_added = col("topic_id").is_null() & col("adding_replicas").list.contains(head).fill_null(value=False)
    is_in_sync = col("isr").list.contains(head).fill_null(value=False)
    return when(is_added).then(~is_in_sync).otherwise(col("leader") == head)


THERE, IS_SURE = ~col("is_deleting"), col("certainty") != UNDETERMINED
IS_UNLED = col("leader").is_null() & col("state").is_in(["OnlinePartition", "OfflinePartition"])
# By gauge: which intervals of partitions it counts, and which ones make it unknown.
PARTITIONS = {
    "OfflinePartitionsCount": (
        THERE & ~col("is_served") & (col("unserved_why") != "never_led"),
        THERE & ~IS_SURE & col("is_served").is_null(),
    ),
    "PreferredReplicaImbalanceCount": (
        THERE & col("leader").is_not_null() & ~is_led_by_preferred(),
        THERE
        & (~IS_SURE | col("is_assignment_stale") | col("replicas").is_null() | IS_UNLED).fill_null(
            value=False
        ),
    ),
}


def of_deletions(lives: pl.DataFrame, known: pl.DataFrame, window: GaugeWindow) -> Iterator[Gauge]:
    asked = lives.filter(
        col("mode") == ZOOKEEPER,
        col("deletion_requested_at").is_not_null(),
        ~col("deletion_state").is_in(NOT_SOUGHT),
    )
    rows = [one for life in asked.iter_rows(named=True) for one in deletion_stages(life)]
    of_zookeeper = known.filter(col("until_at").is_not_null() | (col("from_at") < lit(window.until)))
    for name in DELETION:
        counted = weighted_spans((begin, end, each[name] or 0) for begin, end, each in rows)
        unsure = weighted_spans((begin, end, 1) for begin, end, each in rows if each[name] is None)
        steps = known_value_steps(
            sum_weights(counted, window), of_zookeeper, unsure.select("from_at", "until_at"), window
        )
        yield Gauge(name, None, steps)


def deletion_stages(life: Row) -> Iterator[tuple[datetime, datetime | None, dict[str, int | None]]]:
    found = stages_of_deletion(life)
    ends = [*(one.at for one in found[1:]), life["ended_at"]]
    for stage, end in zip(found, ends, strict=True):
        counts = (1, stage.left, int(stage.state == "put_off"), len(stage.ineligible))
        yield stage.at, end, dict(zip(DELETION, counts, strict=True))
