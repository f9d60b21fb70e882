"""Statements about leader, ISR and assignment, from bronze.log_record."""

import polars as pl
from polars import col, when

from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import (
    assignment_entries,
    broker_list,
    element_field,
    epoch_in_text,
    explode_elements,
    first_match,
)
from schemas.silver.leader_and_isr import SPEC

STATED = ("topic", "partition", "replicas")
LEADER = "leader"
# Fields that print the state of a partition, with its version in ZooKeeper: zkVersion=4, ZkVersion:4, partitionEpoch=4.
STATES = ("leader_and_isr", "partition_state", "leader_isr_and_controller_epoch")
VERSION = r"(?:[zZ]kVersion|partitionEpoch)[=:](\d+)"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per partition that a line makes a statement about.

    Rows: a line about one partition gives one; New topics / New partitions lines one per partition.
    Lines that only ask for a leader (leader named by a request to a broker about another matter) keep what they say.
    A leader that writes the ISR says what it means to write, that it is written, or that it is not.
    """
    told = family_records(log_record, "leader_and_isr").rename({"kind": "teller"})
    is_of_broker = col("teller") == "broker"
    # Brokers repeat what controllers say.
    numbered = told.filter(~is_of_broker).pipe(with_version)
    records = pl.concat([numbered, told.filter(is_of_broker)], how="diagonal")
    has_topic = col("topic").is_not_null()
    one = records.filter(has_topic).with_columns(replicas=pl.coalesce("replicas", broker_list(field_text())))
    entries = assignment_entries(field_text()).list.eval(pl.struct(*map(element_field, STATED)))
    many = records.filter(~has_topic).pipe(explode_elements, entries, "topic", "partition")
    is_said = pl.any_horizontal(col("leader", "isr", "replicas").is_not_null())
    is_named = col("topic").is_not_null() & col("partition").is_not_null()
    return pl.concat(rows.filter(is_said, is_named).select(SPEC.columns) for rows in (one, many))


def with_version(records: pl.DataFrame) -> pl.DataFrame:
    """partition_epoch, previous_isr, and as leader the broker that prints what only leaders do."""
    of_leader = pl.coalesce(printed_field("zk_version"), printed_field("partition_epoch"))
    of_state = pl.coalesce(
        printed_field("zk_version"), first_match(pl.coalesce(printed_field(name) for name in STATES), VERSION)
    )
    is_leader = col("teller") == LEADER
    return records.with_columns(
        leader=when(is_leader).then("broker_id").otherwise("leader"),
        previous_isr=broker_list(printed_field("previous_isr")),
        partition_epoch=epoch_in_text(when(is_leader).then(of_leader).otherwise(of_state)),
    )
