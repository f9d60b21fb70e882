"""Rules on topics that are created: served late or by nobody, or right after one of their name was deleted."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.rule import of_rows
from pipeline.gold.finding.wording import (
    enumerated,
    facts,
    joined,
    length,
    lines_of,
    millis,
    of_topic,
    root,
    words,
)
from pipeline.model.settings import AuditLimit

AT_ONCE_MS = 1_000


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
        *of_topic("topic_without_leader_since_creation", severity, 2),
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
            broker_ids=joined("waited_for"),
            lasted_ms=when(col("over_at").is_not_null()).then("lasted_ms"),
        ),
        certainty=lit("inferred"),
        evidence=lines_of("created", "online", "ended"),
    )


@of_rows("topic_lifecycle")
def slow_creation(
    topic_lifecycle: pl.DataFrame, controller_term: pl.DataFrame, audit_limit: AuditLimit
) -> pl.DataFrame:
    """A topic was served long after its creation, as its controller was late to elect leaders: what brokers alone are
    late with may be a log that is missing."""
    refused = controller_term.filter(col("fenced_from_at").is_not_null()).select(
        "cluster_id", "term_id", "fenced_from_at", "controller_id"
    )
    is_late = (col("mode") == "kraft") | (col("online_ms") * 2 > col("serving_ms"))
    is_own = (col("online_ms") < audit_limit.unled_topic_ms) | col("waited_for").is_null()
    slow = (
        topic_lifecycle.filter(col("serving_ms") > audit_limit.creation_ms, is_late, is_own)
        .join(refused, on=["cluster_id", "term_id"], how="left")
        .with_columns(is_refused=(col("fenced_from_at") <= col("serving_at")).fill_null(value=False))
    )
    why = (
        when("is_refused").then(words(": controller {} could not write", "controller_id"))
        .when(col("waited_for").is_not_null()).then(
            words(": partition {} waited for {}", "slowest_partition", words("broker {}", enumerated("waited_for")))
        )
        .otherwise(lit(""))
    )  # fmt: skip
    return slow.select(
        *of_topic("slow_creation", "info"),
        root_event=words("creation {}", millis("created_at")),
        **root("creation", "created_at"),
        valid_from_at="created_at",
        valid_until_at="serving_at",
        sentence=words(
            "topic {} was served {} after its creation{}", "topic", length(col("serving_ms")), why
        ),
        facts=facts(
            topic="topic",
            partition="slowest_partition",
            controller_id=when("is_refused").then("controller_id"),
            broker_ids=when(~col("is_refused")).then(joined("waited_for")),
            lasted_ms="serving_ms",
        ),
        certainty="certainty",
        evidence=lines_of("created", "serving"),
    )


@of_rows("topic_lifecycle")
def recreated_at_once(topic_lifecycle: pl.DataFrame) -> pl.DataFrame:
    """A topic was created right after its deletion where topics have no ids, up to 2.7: a broker cannot tell a replica
    of the old one, should it have one, from the new one's.

    Source: KIP-516.
    """
    own = ("cluster_id", "topic")
    before = (
        topic_lifecycle.sort(*own, "topic_life")
        .with_columns(
            deleted_at=col("completed_at").shift(1).over(own),
            deleted_lines=lines_of("ended").shift(1).over(own),
        )
        .with_columns(after_ms=millis("created_at") - millis("deleted_at"))
    )
    is_at_once = (col("after_ms") <= AT_ONCE_MS) & col("topic_id").is_null()
    return before.filter(is_at_once).select(
        *of_topic("recreated_at_once", "info"),
        root_event=words("creation {}", millis("created_at")),
        **root("creation", "created_at"),
        valid_from_at="deleted_at",
        valid_until_at="created_at",
        sentence=words(
            "topic {} was created anew {} after its deletion, without ids: a broker that was away may bring old "
            "records back",
            *("topic", length(col("after_ms"))),
        ),
        facts=facts(topic="topic", lasted_ms="after_ms"),
        certainty="certainty",
        evidence=pl.concat_list("deleted_lines", lines_of("created")),
    )
