"""The rule topic_without_leader_since_creation."""

import polars as pl
from polars import col, lit, when

from pipeline.model.settings import AuditLimit
from pipeline.rules.rule import OF_FIND, Rule, of_rows
from pipeline.rules.shared.wording import (
    enumerated,
    facts,
    length,
    lines_of,
    millis,
    of_topic,
    root,
    words,
)
from pipeline.rules.topic_without_leader_since_creation.refused_leader import refused_leader


@of_rows("topic_lifecycle")
def topic_without_leader_since_creation(
    topic_lifecycle: pl.DataFrame, audit_limit: AuditLimit, data_end: pl.DataFrame
) -> pl.DataFrame:
    """A topic was created, and of one of its partitions no replica was on a live broker: who created it ran into a
    timeout. A warning while it is so; once over, its outage has a finding of its own. Only where other partitions of
    that controller are told to have become Online.

    Source: AdminUtils.createTopic with assignments; PartitionStateMachine.initializeLeaderAndIsrForPartition.
    """
    is_seen = col("partitions").list.eval(pl.element().struct.field("online_at").is_not_null()).list.any()
    told = topic_lifecycle.filter(is_seen).select("cluster_id", "term_id").unique()
    until_at = pl.coalesce("online_at", "ended_at", "until_at")
    waited = (
        topic_lifecycle.filter(
            col("created_at").is_not_null(), col("waited_for").is_not_null(), col("mode") == "zookeeper"
        )
        .join(told, on=["cluster_id", "term_id"], how="semi")
        .filter(col("online_at").is_not_null() | col("serving_at").is_null())
        .join(data_end, on="cluster_id", how="left")
        .with_columns(lasted_ms=until_at.dt.epoch("ms") - millis("created_at"))
        .filter(col("lasted_ms") >= audit_limit.unled_topic_ms)
        .with_columns(over_at=pl.coalesce("online_at", "ended_at"))
    )
    at = col("created_at").dt.strftime("%H:%M:%S")
    ids = enumerated("waited_for")
    name = when(col("waited_for").list.len() == 1).then(words("broker {}", ids)).otherwise(
        words("brokers {}", ids)
    )  # fmt: skip
    later = length(col("lasted_ms"))
    end = (
        when(col("online_at").is_not_null()).then(words("; it had a leader {} later", later))
        .when(col("over_at").is_not_null()).then(words("; the topic ended {} later", later))
        .otherwise(lit(""))
    )  # fmt: skip
    severity = when(col("over_at").is_null()).then(lit("warning")).otherwise(lit("info"))
    return waited.select(
        *of_topic(severity),
        root_event=words("creation {}", millis("created_at")),
        **root("creation", "created_at"),
        valid_from_at="created_at",
        valid_until_at="over_at",
        sentence=words(
            "topic {} was created {} without a live replica for partition {} ({}): who created it ran into a timeout{}",
            *("topic", at, "slowest_partition", name, end),
        ),
        facts=facts(
            topic="topic",
            partition="slowest_partition",
            broker_ids="waited_for",
            lasted_ms=when(col("over_at").is_not_null()).then("lasted_ms"),
        ),
        certainty=lit("inferred"),
        evidence=lines_of("created", "online", "ended"),
    )


def find(
    topic_lifecycle: pl.DataFrame,
    transition_audit: pl.DataFrame,
    audit_limit: AuditLimit,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """A partition of a new topic has no leader: its creation tells so, or only that the controller refused to make it
    Online."""
    waited = topic_without_leader_since_creation(topic_lifecycle, audit_limit, data_end).select(OF_FIND)
    refused = refused_leader(transition_audit, topic_lifecycle, waited, audit_limit)
    return pl.concat([waited, refused.select(OF_FIND)])


RULE = Rule(
    name="topic_without_leader_since_creation",
    version=2,
    severities=(
        "warning",
        "info",
    ),
    facts=(
        "topic",
        "partition",
        "broker_ids",
        "lasted_ms",
    ),
    find=find,
)
