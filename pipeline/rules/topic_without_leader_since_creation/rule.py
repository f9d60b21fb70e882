"""The rule topic_without_leader_since_creation."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import OF_FIND, Rule, made_of_rows
from pipeline.rules.shared.limits import UNLED_TOPIC
from pipeline.rules.shared.wording import (
    duration_text,
    enumerated_ids,
    epoch_millis,
    facts_column,
    filled_text,
    named_lines,
    root_columns,
    topic_finding_columns,
)
from pipeline.rules.topic_without_leader_since_creation.refused_leader import refused_leader_findings


@made_of_rows("topic_lifecycle")
def topic_without_leader_since_creation(
    topic_lifecycle: pl.DataFrame, unled_topic_ms: int, data_end: pl.DataFrame
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
        .with_columns(lasted_ms=until_at.dt.epoch("ms") - epoch_millis("created_at"))
        .filter(col("lasted_ms") >= unled_topic_ms)
        .with_columns(over_at=pl.coalesce("online_at", "ended_at"))
    )
    at = col("created_at").dt.strftime("%H:%M:%S")
    ids = enumerated_ids("waited_for")
    name = when(col("waited_for").list.len() == 1).then(filled_text("broker {}", ids)).otherwise(
        filled_text("brokers {}", ids)
    )  # fmt: skip
    later = duration_text(col("lasted_ms"))
    end = (
        when(col("online_at").is_not_null()).then(filled_text("; it had a leader {} later", later))
        .when(col("over_at").is_not_null()).then(filled_text("; the topic ended {} later", later))
        .otherwise(lit(""))
    )  # fmt: skip
    severity = when(col("over_at").is_null()).then(lit("warning")).otherwise(lit("info"))
    return waited.select(
        *topic_finding_columns(severity),
        root_event=filled_text("creation {}", epoch_millis("created_at")),
        **root_columns("creation", "created_at"),
        valid_from_at="created_at",
        valid_until_at="over_at",
        sentence=filled_text(
            "topic {} was created {} without a live replica for partition {} ({}): who created it ran into a timeout{}",
            *("topic", at, "slowest_partition", name, end),
        ),
        facts=facts_column(
            topic="topic",
            partition="slowest_partition",
            broker_ids="waited_for",
            lasted_ms=when(col("over_at").is_not_null()).then("lasted_ms"),
        ),
        certainty=lit("inferred"),
        evidence=named_lines("created", "online", "ended"),
    )


def find(
    topic_lifecycle: pl.DataFrame,
    transition_audit: pl.DataFrame,
    term: pl.DataFrame,
    unled_topic_ms: int,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """A partition of a new topic has no leader: its creation tells so, or only that the controller refused to make it
    Online."""
    waited = topic_without_leader_since_creation(topic_lifecycle, unled_topic_ms, data_end).select(OF_FIND)
    refused = refused_leader_findings(transition_audit, topic_lifecycle, waited, term, unled_topic_ms)
    return pl.concat([waited, refused.select(OF_FIND)])


RULE = Rule(
    name="topic_without_leader_since_creation",
    version=3,
    severities=("warning", "info"),
    facts=("topic", "partition", "broker_ids", "lasted_ms"),
    find=find,
    limits=(UNLED_TOPIC,),
)
