"""Statements about assigned replicas, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.families import fed, field, field_text
from pipeline.model.lines.texts import (
    assignment_entries,
    broker_list,
    first,
    found,
    is_changing,
    last_of_each,
    listed,
    number,
    or_unread,
    part,
)
from schemas.silver.assignment import SPEC

ZNODE_PARTITIONS = r'"partitions"\s*:\s*\{([^{}]*)\}.*\}\s*$'
ZNODE_ENTRY = r'"([^"]*)"\s*:\s*\[([^\]]*)\]'
MOVING = ("adding_replicas", "removing_replicas")


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per partition that a line states replicas of; collections are taken apart.

    Source: KafkaController, PartitionStateMachine, 0.8.2 to 3.9; ReplicationControlManager, Partition from 2.8.
    """
    text = col("text")
    before = field("current_assignment")
    records = (
        fed(log_record, "assignment")
        .with_columns(text=field_text())
        .with_columns(
            previous_replicas=pl.coalesce(
                listed(before, "replicas"), broker_list(field("previous_replicas"))
            ),
            was_changing=is_changing(before),
            topic_id=pl.coalesce(field("topic_id"), first(text, r"\btopicId=([\w-]+)")),
        )
    )
    is_one = col("topic").is_not_null() | col("partition").is_not_null()
    is_znode = text.str.starts_with("{")
    stated = (
        of_one(records.filter(is_one)),
        of_znode(records.filter(~is_one, is_znode)),
        of_many(records.filter(~is_one, ~is_znode)),
    )
    columns = (*SPEC.columns, "was_changing")
    rows = pl.concat(some.select(columns) for some in stated)
    return rows.with_columns(step=refined()).select(SPEC.columns)


def of_one(records: pl.DataFrame) -> pl.DataFrame:
    """What a line about one partition states: a list (up to 2.3), an assignment, a record or a registration."""
    text = col("text")
    bare = when(~text.str.contains("eplicas=", literal=True)).then(broker_list(text))
    return records.with_columns(
        partition=pl.coalesce("partition", number(first(text, r"\bpartitionId=(\d+)"))),
        replicas=pl.coalesce("replicas", listed(text, "replicas"), bare),
        adding_replicas=listed(text, "addingReplicas"),
        removing_replicas=listed(text, "removingReplicas"),
    )


def of_znode(records: pl.DataFrame) -> pl.DataFrame:
    """`{"version":1,"partitions":{"0":[1,2]}}` of /brokers/topics/<topic>, up to 1.0."""
    entry = pl.struct(partition=number(part("partition")), replicas=broker_list(part("replicas")))
    inside = col("text").str.extract(ZNODE_PARTITIONS)
    entries = found(inside, ZNODE_ENTRY, "partition", "replicas").list.eval(entry)
    nothing = lit(None, pl.List(pl.Int32))
    return last_of_each(records, entries, "partition").with_columns(
        *(nothing.alias(name) for name in MOVING), topic=first(field("zk_path"), r"([^/]+)$")
    )


def of_many(records: pl.DataFrame) -> pl.DataFrame:
    entries = or_unread(assignment_entries(col("text")), col("text"))
    return last_of_each(records, entries, "topic", "partition")


def refined() -> pl.Expr:
    """updating back from a change is cancelled; updated with nothing to add or remove is settled."""
    is_settled = pl.all_horizontal(col(MOVING).list.len() == 0)
    is_cancelled = (col("step") == "updating") & col("was_changing") & is_settled
    return (
        when(is_cancelled).then(lit("cancelled"))
        .when((col("step") == "updated") & is_settled).then(lit("settled"))
        .otherwise("step")
    )  # fmt: skip
