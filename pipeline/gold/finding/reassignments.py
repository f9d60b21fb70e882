"""Rules on reassignments of partitions."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.wording import (
    NO_TERM,
    PARTITION,
    enumerated,
    facts,
    ids,
    joined,
    kept_evidence,
    length,
    millis,
    partition_name,
    root,
    rule,
    words,
)
from pipeline.model.lines.evidence import LINE, line
from pipeline.model.partitions.topic_lives import ASKED
from pipeline.model.partitions.topic_lives import ENDED as GONE

TOPIC = ("cluster_id", "topic")
NAME = (*TOPIC, "partition")
BEGUN = ("started", "overridden", "listed", "resumed", "not_caught_up", "waiting", "lagging")
ENDED = (
    *("caught_up", "leader_kept", "leader_dead", "leader_not_in_target", "completed", "removed", "cancelled"),
    *("skipped", "failed"),
)
REJECTED = "rejected"  # of another one that somebody asked for meanwhile
DELETED = (*ASKED, "deletion_started", "deletion_blocked", "remove_topic_record", *GONE)
LONG_MS = 10 * 60 * 1000  # two of Kafka's checks of the leaders


def open_reassignment(
    reassignment_event: pl.DataFrame, topic_event: pl.DataFrame, controller_term: pl.DataFrame
) -> pl.DataFrame:
    """Reassignments that no line ends, as long as the last controller has lines: one finding for those of a cluster,
    by the one that has been open longest. A warning where Kafka still says after LONG_MS that replicas have not caught
    up, as it does up to 2.3.

    Not of a topic that a later line deletes; in ZooKeeper not where another controller was elected since, which says
    what it goes on with.
    Source: KafkaController.onPartitionReassignment, 0.8.1 to 2.3; updateCurrentReassignment, from 2.4;
    ReplicationControlManager.replay(PartitionChangeRecord), from 2.8.
    """
    deleted = (
        topic_event.filter(col("step").is_in(DELETED)).group_by(TOPIC).agg(gone_at=col("logged_at").max())
    )
    is_there = (col("gone_at") < col("began_at")).fill_null(value=True)
    is_of_last = (col("mode") == "kraft") | (col("elected_at") <= col("last_at")).fill_null(value=True)
    return (
        unended(reassignment_event)
        .join(deleted, on=TOPIC, how="left")
        .join(last_terms(controller_term), on="cluster_id", how="inner")
        .filter(is_there & is_of_last)
        .with_columns(open_ms=millis("acted_at") - millis("began_at"), name=partition_name())
        .filter(col("open_ms") >= LONG_MS)
        .pipe(told)
    )


def unended(reassignment_event: pl.DataFrame) -> pl.DataFrame:
    """(NAME, began_at, last_at, target_replicas, lagging_replicas, lagging_at, evidence) of each that goes on: its
    first line and the last one. A record of KRaft has null instead of a list that was empty before."""
    lists = ("adding_replicas", "removing_replicas")
    has_list = pl.any_horizontal(col(name).is_not_null() for name in lists)
    count = when(has_list).then(pl.sum_horizontal(col(name).list.len() for name in lists))
    is_ended = col("step").is_in(ENDED) & col("reason").ne_missing(lit(REJECTED))
    is_open = (
        when(count.is_not_null())
        .then(count > 0)
        .when(col("step").is_in(BEGUN))
        .then(lit(value=True))
        .when(is_ended)
        .then(lit(value=False))
    )
    lagging = col("lagging_replicas").is_not_null()
    return (
        reassignment_event.drop_nulls(("topic", "partition", "logged_at"))
        .with_columns(is_open=is_open)
        .filter(col("is_open").is_not_null())
        .sort(*NAME, "logged_at", *LINE)
        .with_columns(number=(~col("is_open")).cum_sum().over(NAME))
        .filter(col("is_open") & (col("number") == col("number").max().over(NAME)))
        .group_by(NAME, maintain_order=True)
        .agg(
            began_at=col("logged_at").first(),
            last_at=col("logged_at").last(),
            target_replicas=col("target_replicas").drop_nulls().first(),
            lagging_replicas=col("lagging_replicas").filter(lagging).last(),
            lagging_at=col("logged_at").filter(lagging).last(),
            evidence=pl.concat([line().head(1), line().filter(lagging).tail(1)]),
        )
    )


def last_terms(controller_term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, mode, elected_at, acted_at) of the last term of each cluster."""
    last = controller_term.sort("cluster_id", "last_act_at").unique("cluster_id", keep="last")
    return last.select("cluster_id", "mode", "elected_at", acted_at="last_act_at")


def told(open_ones: pl.DataFrame) -> pl.DataFrame:
    is_lagging = millis("lagging_at") - millis("began_at") >= LONG_MS
    has_lagging = col("lagging_replicas").list.len() > 0
    many = (
        open_ones.sort("began_at", *NAME)
        .group_by("cluster_id", maintain_order=True)
        .agg(
            col(
                "topic", "partition", "name", "began_at", "open_ms", "target_replicas", "lagging_replicas"
            ).first(),
            partitions=pl.len(),
            is_lagging=is_lagging.fill_null(value=False).any(),
            evidence=kept_evidence(),
        )
    )
    move = words("{} to [{}]", "name", ids("target_replicas"))
    is_one = col("partitions") == 1
    which = when(is_one).then(words("reassignment of {} has", move)).otherwise(
        words("{} reassignments have", "partitions")
    )  # fmt: skip
    longest = when(is_one).then(lit("")).otherwise(words(" (longest {})", move))
    behind = enumerated("lagging_replicas")
    is_several = col("lagging_replicas").list.len() > 1
    have = when(is_several).then(words("replicas {} have", behind)).otherwise(words("replica {} has", behind))
    look = words(": {} not caught up; look at the fetchers of {}", have, behind)
    return many.select(
        *("cluster_id", "evidence"),
        *rule("open_reassignment", when("is_lagging").then(lit("warning")).otherwise(lit("info"))),
        entity=col("name"),
        root_event=words("begun at {}", millis("began_at")),
        **root("reassignment", "began_at"),
        term_id=NO_TERM,
        valid_from_at="began_at",
        valid_until_at=lit(None, pl.Datetime("us", "UTC")),
        sentence=words(
            "{} been open for {}{}{}",
            *(which, length(col("open_ms")), longest, when(has_lagging).then(look).otherwise(lit(""))),
        ),
        facts=facts(
            partitions_count="partitions",
            **PARTITION,
            target_replicas=joined("target_replicas"),
            lagging_replicas=joined("lagging_replicas"),
        ),
        certainty=lit("inferred"),
    )
