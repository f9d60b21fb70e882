"""Steps of reassignments, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.requested import requested_partitions
from pipeline.model.lines.texts import (
    assignment_entries,
    broker_list,
    element_field,
    explode_elements,
    first_match,
    is_changing,
    listed_broker_ids,
    listed_partitions,
    number_in_text,
    or_unread,
)
from schemas.silver.reassignment_event import SPEC


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per partition of a line about reassignments; collections are taken apart.

    From 3.5 on ReplicationControlManager.alterPartition asks whether the partition is being reassigned after it was
    changed: the line that ends with "completed the ongoing partition reassignment." says that it still is. What ends it
    is the record without adding and removing replicas.
    Source: KafkaController, PartitionsReassignedListener, 0.8.2 to 3.9; ReplicationControlManager, from 3.0.
    """
    return (
        explode_reassigned_partitions(
            family_records(log_record, "reassignment_event").with_columns(text=field_text())
        )
        .with_columns(**replica_lists())
        .pipe(with_target)
        .with_columns(
            step=refined_reassignment_step(),
            reason="kind",
            asked_count=number_in_text(printed_field("total_alterations")),
            accepted_count=number_in_text(printed_field("successful_alterations")),
        )
        .select(SPEC.columns)
    )


def explode_reassigned_partitions(lines: pl.DataFrame) -> pl.DataFrame:
    """(topic, partition, wanted) of the line, or of each element of the collection that the feed names."""
    text, named = col("text"), col("field")
    is_one = named.is_null() | col("topic").is_not_null()
    is_request = named == "data"
    is_map = ((named != "errors") & text.str.contains(" -> ", literal=True)).fill_null(value=False)
    of_map = pl.struct(
        topic=element_field("topic"), partition=element_field("partition"), wanted=element_field("replicas")
    )
    collections = (
        (is_request, requested_partitions(text)),
        (~is_request & is_map, or_unread(assignment_entries(text).list.eval(of_map), text)),
        (~is_request & ~is_map, or_unread(listed_partitions(text), text)),
    )
    several = (
        explode_elements(lines.filter(~is_one, is_form), elements, "topic", "partition")
        for is_form, elements in collections
    )
    return pl.concat([lines.filter(is_one).with_columns(**reassigned_partition()), *several], how="diagonal")


def reassigned_partition() -> dict[str, pl.Expr]:
    index = number_in_text(printed_field("partition_index"))
    in_record = number_in_text(first_match(col("text"), r"\bpartitionId=(\d+)"))
    return {
        "topic": pl.coalesce("topic", printed_field("name")),
        "partition": pl.coalesce("partition", index, in_record),
    }


def replica_lists() -> dict[str, pl.Expr]:
    stated = pl.coalesce(
        printed_field("new_assignment"), printed_field("replica_assignment"), printed_field("record")
    )
    before = printed_field("current_assignment")
    return {
        "replicas": pl.coalesce("replicas", listed_broker_ids(stated, "replicas")),
        "adding_replicas": listed_broker_ids(stated, "addingReplicas"),
        "removing_replicas": listed_broker_ids(stated, "removingReplicas"),
        "previous_replicas": pl.coalesce(
            listed_broker_ids(before, "replicas"), broker_list(printed_field("previous_replicas"))
        ),
        "lagging_replicas": broker_list(printed_field("lagging_replicas")),
        "caught_up_count": number_in_text(printed_field("caught_up_count")),
    }


def with_target(rows: pl.DataFrame) -> pl.DataFrame:
    """target_replicas: what the line names as target, else the assigned replicas that are not being removed."""
    numbered = rows.with_row_index("row")
    is_kept = ~col("replicas").is_in(col("removing_replicas").fill_null([]))
    kept = (
        numbered.select("row", "replicas", "removing_replicas")
        .explode("replicas", empty_as_null=False, keep_nulls=False)
        .filter(is_kept)
        .group_by("row")
        .agg(kept=col("replicas").unique(maintain_order=True))
    )
    assigned = when(col("replicas").is_not_null()).then(col("kept").fill_null([]))
    named = broker_list(pl.coalesce(printed_field("target_replicas"), printed_field("new_replicas")))
    return (
        numbered.join(kept, on="row", how="left")
        .with_columns(target_replicas=pl.coalesce("wanted", named, assigned))
        .drop("row", "kept")
    )


def refined_reassignment_step() -> pl.Expr:
    """From 2.4 one line begins, replaces and cancels: told by what was and what will be in progress. One that changes
    an ISR while a reassignment goes on says from 4.3 whether every replica is in sync then."""
    is_started = col("step") == "started"
    was, will_be = (
        is_changing(printed_field("current_assignment")),
        is_changing(printed_field("new_assignment")),
    )
    is_whole = changed_to("replicaSet").list.set_difference(changed_to("isr")).list.len() == 0
    return (
        when(is_started & was & will_be)
        .then(lit("overridden"))
        .when(is_started & was)
        .then(lit("cancelled"))
        .when((col("step") == "isr_changed") & is_whole)
        .then(lit("all_in_sync"))
        .otherwise("step")
    )


def changed_to(name: str) -> pl.Expr:
    """The brokers behind the arrow of `name: [1, 2] -> [1, 2, 3]`, as ReplicationControlManager prints from 4.3."""
    return broker_list(printed_field("change_info").str.extract(rf"\b{name}: \[[^\]]*\] -> \[([^\]]*)\]"))
