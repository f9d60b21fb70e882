"""What KRaft nodes say of partitions by partition epoch, from bronze.log_record."""

import polars as pl
from polars import col, when

from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import (
    broker_list,
    epoch_in_text,
    first_match,
    listed_broker_ids,
    number_in_text,
)
from schemas.silver.partition_state import SPEC

IN_OPTION = r"([\w-]{22})"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line.

    Brokers in ZooKeeper mode print some of these wordings too, from 3.3 on: what counts is for the reader to say.
    Without a partition epoch (up to 3.2) the lines of brokers give no row.
    Source: ReplicaManager, Partition, ReplicationControlManager, from 3.0.
    """
    is_placed = col("partition_epoch").is_not_null() | (col("step") != "stated")
    return (
        family_records(log_record, "partition_state")
        .filter(col("topic").is_not_null())
        .with_columns(text=field_text())
        .with_columns(partition_epoch=partition_epoch())
        .filter(is_placed)
        .with_columns(
            teller="kind",
            topic_id=topic_id(),
            partition=pl.coalesce(
                "partition", number_in_text(first_match(col("text"), r"\bpartitionId=(\d+)"))
            ),
            leader=pl.coalesce(when(is_leader_itself()).then("broker_id"), "leader", new_leader()),
            leader_epoch=pl.coalesce("leader_epoch", epoch_in_text(changed_value("leaderEpoch", r"(\d+)"))),
            isr=pl.coalesce("isr", list_of("isr")),
            replicas=pl.coalesce("replicas", list_of("replicas")),
            adding_replicas=replicas_being_moved("adding"),
            removing_replicas=replicas_being_moved("removing"),
        )
        .select(SPEC.columns)
    )


def partition_epoch() -> pl.Expr:
    printed = printed_field("partition_epoch")
    return pl.coalesce(
        epoch_in_text(printed),
        epoch_in_text(first_match(col("text"), r"\bpartitionEpoch(?:=|: \d+ -> )(\d+)")),
    )


def topic_id() -> pl.Expr:
    printed = printed_field("topic_id")
    return first_match(pl.coalesce(printed, first_match(col("text"), r"\btopicId=([\w-]+)")), IN_OPTION)


def is_leader_itself() -> pl.Expr:
    """`Leader … starts at leader epoch` names no leader: it is the broker that prints it."""
    return col("event") == "broker_leader_started"


def new_leader() -> pl.Expr:
    """Of a change record or a diff; -2 says that it stays as it was."""
    said = number_in_text(
        pl.coalesce(changed_value("leader", r"(-?\d+)"), first_match(col("text"), r"\bleader=(-?\d+)"))
    )
    return when(said > -2).then(said)


def changed_value(name: str, value: str) -> pl.Expr:
    """The new value in `name: old -> new`."""
    return first_match(col("text"), rf"(?:^|, ){name}: [^,]*? -> {value}")


def list_of(name: str) -> pl.Expr:
    """The new list in `name: [3, 1] -> [1]`, or the list in `name=[1]`."""
    new = first_match(col("text"), rf"(?:^|, ){name}: \[[^\]]*\] -> (\[[^\]]*\])")
    return pl.coalesce(broker_list(new), listed_broker_ids(col("text"), name))


def replicas_being_moved(verb: str) -> pl.Expr:
    printed = printed_field(f"{verb}_replicas")
    return pl.coalesce(broker_list(printed), list_of(f"{verb}Replicas"))
