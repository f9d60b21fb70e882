"""The rule stuck_reassignment."""

import polars as pl
from polars import col, element, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.partitions.topic_lives import ASKED
from pipeline.model.partitions.topic_lives import ENDED as GONE
from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.waiting import HALTING
from pipeline.rules.shared.wording import (
    NO_TERM,
    PARTITION,
    duration_text,
    enumerated_ids,
    epoch_millis,
    facts_column,
    filled_text,
    ids_text,
    kept_evidence,
    partition_name_text,
    root_columns,
    severity_column,
)

MINUTE_MS = 60_000
# Steps of silver.topic_event that say that a topic is on its way out.
DELETED = (*ASKED, "deletion_started", "deletion_blocked", "remove_topic_record", *GONE)
TOPIC = ("cluster_id", "topic")
NAME = ("cluster_id", "topic", "partition")
OF_FIRST = (
    *("topic", "partition", "name", "started_at", "open_ms", "target_replicas", "waiting_broker_ids"),
    "waiting_since_at",
)
NEVER = "which Kafka from 4.3 on never completes; cancel, and ask for the wanted replicas anew"
OF_BROKERS = ("broker_gone", "no_leader", "adding_and_removing")
TIME = pl.Datetime("us", "UTC")


@made_of_rows("reassignment")
def find(
    reassignment: pl.DataFrame,
    topic_event: pl.DataFrame,
    controller_term: pl.DataFrame,
    release_span: pl.DataFrame,
    reassignment_minutes: int,
) -> pl.DataFrame:
    """Reassignments that go on for reassignment_minutes at the last controller's last line: one finding for those of a
    cluster that wait for the same brokers, by the one that has been open longest. A warning where a broker that should
    get a replica is gone, nobody leads the partition or no controller can act, or Kafka still says after that time that
    replicas have not caught up, as it does up to 2.3; else no line tells how far they came. One in which a broker is
    added and removed at once never ends from 4.3 on: told at once.

    Not of a topic that a later line deletes, nor where a later controller has no lines. Up to 2.3 a controller says at
    its start which ones it goes on with. Up to 3.3 one that is open keeps the controller from moving any leader back by
    itself (KAFKA-10149).
    Source: KafkaController.onPartitionReassignment, 0.8.1 to 2.3; updateCurrentReassignment, from 2.4;
    ReplicationControlManager.replay(PartitionChangeRecord), from 2.8.
    """
    limit_ms = reassignment_minutes * MINUTE_MS
    is_known = (col("form") != "znode") | col("term_ids").list.contains(col("last_term_id"))
    waited_ms = when(col("waiting_for") == "broker_lagging").then(epoch_millis("lagging_at")).otherwise(
        epoch_millis("acted_at")
    ) - epoch_millis("waiting_since_at")  # fmt: skip
    is_endless = (col("waiting_for") == "adding_and_removing").fill_null(value=False)
    is_waiting = is_endless | ((col("waiting_for") != "unknown") & (waited_ms >= limit_ms))
    return (
        reassignment.filter(col("outcome") == "in_progress", col("certainty") != "undetermined")
        .join(topic_deletion_times(topic_event), on=TOPIC, how="left")
        .filter((col("gone_at") < col("started_at")).fill_null(value=True))
        .join(last_terms(controller_term), on="cluster_id", how="inner")
        .with_columns(
            open_ms=epoch_millis("acted_at") - epoch_millis("started_at"), name=partition_name_text()
        )
        .filter(is_known, is_endless | (col("open_ms") >= limit_ms))
        .with_columns(is_waiting=is_waiting.fill_null(value=False))
        .pipe(stuck_reassignment_findings, release_span)
    )


def topic_deletion_times(topic_event: pl.DataFrame) -> pl.DataFrame:
    """(TOPIC, gone_at) of the last line that asks to delete each topic, or ends it."""
    asked = topic_event.filter(col("step").is_in(DELETED))
    return asked.group_by(TOPIC).agg(gone_at=col("logged_at").max())


def last_terms(controller_term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, last_term_id, acted_at) of the last term of each cluster."""
    last = controller_term.sort("cluster_id", "last_act_at").unique("cluster_id", keep="last")
    return last.select("cluster_id", "controller_id", last_term_id="term_id", acted_at="last_act_at")


def with_halted_balancing(open_ones: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """Adds is_halting: in every release that the last controller may run one that is open keeps automatic preferred
    elections from being held."""
    last = release_span.sort("valid_from_at").unique(["cluster_id", "node_id"], keep="last")
    halting = (element().is_in(HALTING)).all()
    runs = last.select("cluster_id", controller_id="node_id", halts=col("releases").list.agg(halting))
    is_halting = (col("form") != "kraft") & col("halts")
    return open_ones.join(
        runs, on=["cluster_id", "controller_id"], how="left", maintain_order="left"
    ).with_columns(is_halting=is_halting.fill_null(value=False))


@needs_rows_of("open_ones")
def stuck_reassignment_findings(open_ones: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    group = ("cluster_id", "waiting_for", "waiting_set", "form")
    many = (
        open_ones.pipe(with_halted_balancing, release_span)
        .sort("started_at", *NAME)
        .with_columns(waiting_set=col("waiting_broker_ids").list.sort())
        .group_by(group, maintain_order=True)
        .agg(
            *(col(name).first() for name in OF_FIRST),
            partitions=pl.len(),
            is_waiting=col("is_waiting").any(),
            is_halting=col("is_halting").any(),
            evidence=kept_evidence(),
        )
    )
    move = filled_text("{} to [{}]", "name", ids_text("target_replicas"))
    is_one = col("partitions") == 1
    which = when(is_one).then(filled_text("reassignment of {} has", move)).otherwise(
        filled_text("{} reassignments have", "partitions")
    )  # fmt: skip
    longest = when(is_one).then(lit("")).otherwise(filled_text(" (longest {})", move))
    return many.select(
        *("cluster_id", "evidence"),
        *severity_column(when("is_waiting").then(lit("warning")).otherwise(lit("info"))),
        entity=col("name"),
        root_event=filled_text("begun at {}", epoch_millis("started_at")),
        **root_columns("reassignment", "started_at"),
        term_id=NO_TERM,
        valid_from_at="started_at",
        valid_until_at=lit(None, TIME),
        sentence=filled_text(
            "{} been open for {}{}{}{}",
            which,
            duration_text(col("open_ms")),
            longest,
            waiting_reason_text(),
            until_then(),
        ),
        facts=facts_column(
            partitions_count="partitions",
            **PARTITION,
            target_replicas="target_replicas",
            waiting_for="waiting_for",
            broker_ids=when(col("waiting_for").is_in(OF_BROKERS)).then("waiting_broker_ids"),
            lagging_replicas=when(col("waiting_for") == "broker_lagging").then("waiting_broker_ids"),
        ),
        certainty=lit("inferred"),
    )


def until_then() -> pl.Expr:
    said = "; until then no leader of the cluster is moved back automatically (KAFKA-10149)"
    return when("is_halting").then(lit(said)).otherwise(lit(""))


def waiting_reason_text() -> pl.Expr:
    """What they wait for, and what to do."""
    brokers = enumerated_ids("waiting_broker_ids")
    is_several = col("waiting_broker_ids").list.len() > 1
    have = (
        when(is_several)
        .then(filled_text("replicas {} have", brokers))
        .otherwise(filled_text("replica {} has", brokers))
    )
    it = when(col("partitions") == 1).then(lit("it")).otherwise(lit("them"))
    leader = when(brokers.is_not_null()).then(filled_text("; start broker {}", brokers)).otherwise(lit(""))
    are = (
        when(is_several)
        .then(filled_text("brokers {} are", brokers))
        .otherwise(filled_text("broker {} is", brokers))
    )
    them = when(is_several).then(lit("them")).otherwise(lit("it"))
    return (
        when(col("waiting_for") == "broker_gone")
        .then(filled_text(": {} gone; start {}{}", are, them, or_cancel()))
        .when(col("waiting_for") == "broker_lagging")
        .then(filled_text(": {} not caught up; look at the fetchers of {}", have, brokers))
        .when(col("waiting_for") == "no_leader")
        .then(filled_text(": nobody leads {}, so there is nothing to copy from{}", it, leader))
        .when(col("waiting_for") == "adding_and_removing")
        .then(filled_text(": {} added and removed at once, {}", brokers_with_verb(), lit(NEVER)))
        .when(col("waiting_for") == "quorum_lost")
        .then(lit(": the quorum of controllers has no leader"))
        .when(col("waiting_for") == "controller_powerless")
        .then(filled_text(": controller {} can write nothing to ZooKeeper", brokers))
        .otherwise(lit(""))
    )


def brokers_with_verb() -> pl.Expr:
    brokers = enumerated_ids("waiting_broker_ids")
    are = when(col("waiting_broker_ids").list.len() > 1).then(filled_text("brokers {} are", brokers))
    return (
        are.when(brokers.is_not_null())
        .then(filled_text("broker {} is", brokers))
        .otherwise(lit("a broker is"))
    )


def or_cancel() -> pl.Expr:
    """What else can be done by the release: up to 2.3 nothing (KIP-455); from then on in ZooKeeper mode nobody checks
    who is left, while KRaft refuses what would leave no leader.

    Source: KafkaController.cancelReassignment (KAFKA-14424); ReplicationControlManager.cancelPartitionReassignment.
    """
    is_unchecked = col("form") == "assignment"
    return (
        when(col("form") == "znode").then(lit(" (up to 2.3 nothing can be cancelled)"))
        .when(is_unchecked).then(lit(", or cancel, but only while an old replica is live and in sync (KAFKA-14424)"))
        .otherwise(lit(", or cancel the reassignment"))
    )  # fmt: skip


RULE = Rule(
    name="stuck_reassignment",
    version=2,
    severities=("warning", "info"),
    facts=(
        "partitions_count",
        "topic",
        "partition",
        "target_replicas",
        "waiting_for",
        "broker_ids",
        "lagging_replicas",
    ),
    find=find,
    limits=(
        Limit(
            "reassignment_minutes",
            15,
            "minutes",
            "A reassignment that goes on for so many minutes is a finding.",
        ),
    ),
)
