"""The rule replica_left_on_disk."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    NO_TERM,
    PARTITION,
    enumerated_ids,
    epoch_millis,
    facts_column,
    filled_text,
    partition_name_text,
    root_columns,
    severity_column,
)

NAME = ("cluster_id", "topic", "partition")
ATTEMPT = (*NAME, "topic_life", "started_at")


@made_of_rows("reassignment")
def find(reassignment: pl.DataFrame) -> pl.DataFrame:
    """Brokers that ignored the request to delete a replica that a reassignment took from them. It is over when a later
    one brings the replica there again.

    Source: KAFKA-13972, ReplicaManager.stopReplicas, 2.6 to 3.4.
    """
    left = reassignment.filter(col("leftover_broker_ids").list.len() > 0)
    later = reassignment.select(*NAME, later_at="started_at", later_replicas="target_replicas")
    is_back = col("leftover_broker_ids").list.set_difference("later_replicas").list.len() == 0
    back = (
        left.select(*ATTEMPT, "leftover_broker_ids", "ended_at")
        .join(later, on=NAME, how="inner")
        .filter(col("later_at") >= col("ended_at"), col("later_at") > col("started_at"), is_back)
        .group_by(ATTEMPT)
        .agg(back_at=col("later_at").min())
    )
    noun = when(col("leftover_broker_ids").list.len() > 1).then(lit("brokers")).otherwise(lit("broker"))
    it = when(col("leftover_broker_ids").list.len() > 1).then(lit("they")).otherwise(lit("it"))
    brokers = enumerated_ids("leftover_broker_ids")
    said = filled_text(
        "{} {} may keep the log of {} after a {} reassignment: {} ignored the request to delete it (KAFKA-13972)",
        noun, brokers, partition_name_text(), "outcome", it,
    )  # fmt: skip
    return left.join(back, on=list(ATTEMPT), how="left", maintain_order="left").select(
        *("cluster_id", "evidence"),
        *severity_column("info"),
        entity=partition_name_text(),
        root_event=filled_text("begun at {}", epoch_millis("started_at")),
        **root_columns("reassignment", "started_at"),
        term_id=NO_TERM,
        valid_from_at="started_at",
        valid_until_at="back_at",
        sentence=said,
        facts=facts_column(**PARTITION, broker_ids="leftover_broker_ids"),
        certainty=lit("proved"),
    )


RULE = Rule(
    name="replica_left_on_disk",
    version=1,
    severities=("info",),
    facts=("topic", "partition", "broker_ids"),
    find=find,
)
