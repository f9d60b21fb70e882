"""Statements about assigned replicas, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import (
    assignment_entries,
    broker_list,
    element_field,
    explode_elements,
    first_match,
    is_changing,
    listed_broker_ids,
    matched_groups,
    number_in_text,
    or_unread,
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
    before = printed_field("current_assignment")
    records = (
        family_records(log_record, "assignment")
        .with_columns(text=field_text())
        .with_columns(
            previous_replicas=pl.coalesce(
                listed_broker_ids(before, "replicas"), broker_list(printed_field("previous_replicas"))
            ),
            was_changing=is_changing(before),
            topic_id=pl.coalesce(printed_field("topic_id"), first_match(text, r"\btopicId=([\w-]+)")),
        )
    )
    is_one = col("topic").is_not_null() | col("partition").is_not_null()
    is_znode = text.str.starts_with("{")
    stated = (
        with_partition_assignment(records.filter(is_one)),
        of_znode(records.filter(~is_one, is_znode)),
        of_many(records.filter(~is_one, ~is_znode)),
    )
    columns = (*SPEC.columns, "was_changing")
    rows = pl.concat(some.select(columns) for some in stated)
    return rows.with_columns(step=refined_assignment_step()).select(SPEC.columns)


def with_partition_assignment(records: pl.DataFrame) -> pl.DataFrame:
    """What a line about one partition states: a list (up to 2.3), an assignment, a record or a registration."""
    text = col("text")
    bare = when(~text.str.contains("eplicas=", literal=True)).then(broker_list(text))
    return records.with_columns(
        partition=pl.coalesce("partition", number_in_text(first_match(text, r"\bpartitionId=(\d+)"))),
        replicas=pl.coalesce("replicas", listed_broker_ids(text, "replicas"), bare),
        adding_replicas=listed_broker_ids(text, "addingReplicas"),
        removing_replicas=listed_broker_ids(text, "removingReplicas"),
    )


@needs_rows_of("records")
def of_znode(records: pl.DataFrame) -> pl.DataFrame:
    """`{"version":1,"partitions":{"0":[1,2]}}` of /brokers/topics/<topic>, up to 1.0."""
    entry = pl.struct(
        partition=number_in_text(element_field("partition")), replicas=broker_list(element_field("replicas"))
    )
    inside = col("text").str.extract(ZNODE_PARTITIONS)
    entries = matched_groups(inside, ZNODE_ENTRY, "partition", "replicas").list.eval(entry)
    nothing = lit(None, pl.List(pl.Int32))
    return explode_elements(records, entries, "partition").with_columns(
        *(nothing.alias(name) for name in MOVING), topic=first_match(printed_field("zk_path"), r"([^/]+)$")
    )


@needs_rows_of("records")
def of_many(records: pl.DataFrame) -> pl.DataFrame:
    entries = or_unread(assignment_entries(col("text")), col("text"))
    return explode_elements(records, entries, "topic", "partition")


def refined_assignment_step() -> pl.Expr:
    """updating back from a change is cancelled; updated with nothing to add or remove is settled."""
    is_settled = pl.all_horizontal(col(MOVING).list.len() == 0)
    is_cancelled = (col("step") == "updating") & col("was_changing") & is_settled
    return (
        when(is_cancelled).then(lit("cancelled"))
        .when((col("step") == "updated") & is_settled).then(lit("settled"))
        .otherwise("step")
    )  # fmt: skip
