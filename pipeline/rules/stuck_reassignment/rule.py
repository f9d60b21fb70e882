"""The rule stuck_reassignment."""

import polars as pl
from polars import col, element, lit, when

from pipeline.model.partitions.topic_lives import ASKED
from pipeline.model.partitions.topic_lives import ENDED as GONE
from pipeline.model.settings import AuditLimit
from pipeline.rules.rule import Rule, of_rows
from pipeline.rules.shared.waiting import HALTING
from pipeline.rules.shared.wording import (
    NO_TERM,
    PARTITION,
    enumerated,
    facts,
    graded,
    ids,
    kept_evidence,
    length,
    millis,
    partition_name,
    root,
    words,
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


@of_rows("reassignment")
def find(
    reassignment: pl.DataFrame,
    topic_event: pl.DataFrame,
    controller_term: pl.DataFrame,
    release_span: pl.DataFrame,
    audit_limit: AuditLimit,
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
    limit_ms = audit_limit.reassignment_minutes * MINUTE_MS
    is_known = (col("form") != "znode") | col("term_ids").list.contains(col("last_term_id"))
    waited_ms = when(col("waiting_for") == "broker_lagging").then(millis("lagging_at")).otherwise(
        millis("acted_at")
    ) - millis("waiting_since_at")  # fmt: skip
    is_endless = (col("waiting_for") == "adding_and_removing").fill_null(value=False)
    is_waiting = is_endless | ((col("waiting_for") != "unknown") & (waited_ms >= limit_ms))
    return (
        reassignment.filter(col("outcome") == "in_progress", col("certainty") != "undetermined")
        .join(deleted(topic_event), on=TOPIC, how="left")
        .filter((col("gone_at") < col("started_at")).fill_null(value=True))
        .join(last_terms(controller_term), on="cluster_id", how="inner")
        .with_columns(open_ms=millis("acted_at") - millis("started_at"), name=partition_name())
        .filter(is_known, is_endless | (col("open_ms") >= limit_ms))
        .with_columns(is_waiting=is_waiting.fill_null(value=False))
        .pipe(told, release_span)
    )


def deleted(topic_event: pl.DataFrame) -> pl.DataFrame:
    """(TOPIC, gone_at) of the last line that asks to delete each topic, or ends it."""
    asked = topic_event.filter(col("step").is_in(DELETED))
    return asked.group_by(TOPIC).agg(gone_at=col("logged_at").max())


def last_terms(controller_term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, last_term_id, acted_at) of the last term of each cluster."""
    last = controller_term.sort("cluster_id", "last_act_at").unique("cluster_id", keep="last")
    return last.select("cluster_id", "controller_id", last_term_id="term_id", acted_at="last_act_at")


def with_balancing(open_ones: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """Adds is_halting: in every release that the last controller may run one that is open keeps automatic preferred
    elections from being held."""
    last = release_span.sort("valid_from_at").unique(["cluster_id", "node_id"], keep="last")
    halting = (element().is_in(HALTING)).all()
    runs = last.select("cluster_id", controller_id="node_id", halts=col("releases").list.agg(halting))
    is_halting = (col("form") != "kraft") & col("halts")
    return open_ones.join(
        runs, on=["cluster_id", "controller_id"], how="left", maintain_order="left"
    ).with_columns(is_halting=is_halting.fill_null(value=False))


def told(open_ones: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    group = ("cluster_id", "waiting_for", "waiting_set", "form")
    many = (
        open_ones.pipe(with_balancing, release_span)
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
    move = words("{} to [{}]", "name", ids("target_replicas"))
    is_one = col("partitions") == 1
    which = when(is_one).then(words("reassignment of {} has", move)).otherwise(
        words("{} reassignments have", "partitions")
    )  # fmt: skip
    longest = when(is_one).then(lit("")).otherwise(words(" (longest {})", move))
    return many.select(
        *("cluster_id", "evidence"),
        *graded(when("is_waiting").then(lit("warning")).otherwise(lit("info"))),
        entity=col("name"),
        root_event=words("begun at {}", millis("started_at")),
        **root("reassignment", "started_at"),
        term_id=NO_TERM,
        valid_from_at="started_at",
        valid_until_at=lit(None, TIME),
        sentence=words(
            "{} been open for {}{}{}{}", which, length(col("open_ms")), longest, why(), until_then()
        ),
        facts=facts(
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


def why() -> pl.Expr:
    """What they wait for, and what to do."""
    brokers = enumerated("waiting_broker_ids")
    is_several = col("waiting_broker_ids").list.len() > 1
    have = (
        when(is_several).then(words("replicas {} have", brokers)).otherwise(words("replica {} has", brokers))
    )
    it = when(col("partitions") == 1).then(lit("it")).otherwise(lit("them"))
    leader = when(brokers.is_not_null()).then(words("; start broker {}", brokers)).otherwise(lit(""))
    are = when(is_several).then(words("brokers {} are", brokers)).otherwise(words("broker {} is", brokers))
    them = when(is_several).then(lit("them")).otherwise(lit("it"))
    return (
        when(col("waiting_for") == "broker_gone")
        .then(words(": {} gone; start {}{}", are, them, or_cancel()))
        .when(col("waiting_for") == "broker_lagging")
        .then(words(": {} not caught up; look at the fetchers of {}", have, brokers))
        .when(col("waiting_for") == "no_leader")
        .then(words(": nobody leads {}, so there is nothing to copy from{}", it, leader))
        .when(col("waiting_for") == "adding_and_removing")
        .then(words(": {} added and removed at once, {}", both(), lit(NEVER)))
        .when(col("waiting_for") == "quorum_lost")
        .then(lit(": the quorum of controllers has no leader"))
        .when(col("waiting_for") == "controller_powerless")
        .then(words(": controller {} can write nothing to ZooKeeper", brokers))
        .otherwise(lit(""))
    )


def both() -> pl.Expr:
    brokers = enumerated("waiting_broker_ids")
    are = when(col("waiting_broker_ids").list.len() > 1).then(words("brokers {} are", brokers))
    return are.when(brokers.is_not_null()).then(words("broker {} is", brokers)).otherwise(lit("a broker is"))


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
    severities=(
        "warning",
        "info",
    ),
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
)
