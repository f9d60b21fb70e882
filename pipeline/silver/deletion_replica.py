"""Replicas of topics that are being deleted, from bronze.log_record."""

import polars as pl
from polars import col, lit

from pipeline.model.lines.families import family_records, field_text
from pipeline.model.lines.texts import (
    PARTITION_REPLICA,
    TOPIC,
    element_field,
    explode_elements,
    matched_groups,
    number_in_text,
)
from schemas.silver.deletion_replica import SPEC

ANSWERED = "answered"
# `t-0=KAFKA_STORAGE_ERROR` up to 2.2, `t-0 -> KAFKA_STORAGE_ERROR`.
PARTITION_ERROR = rf"({TOPIC})-(\d+)(?:=| -> )([A-Z_]+)"
NO_ERROR = "NONE"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per replica that a line names; of answers only those with an error.

    Source: TopicDeletionManager, KafkaController, 0.8.1 to 3.9.
    """
    lines = family_records(log_record, "deletion_replica")
    is_answer = col("step") == ANSWERED
    key = ("topic", "partition", "replica_id")
    answers = lines.filter(is_answer).pipe(explode_elements, partition_errors(), *key[:2])
    several = (
        lines.filter(~is_answer).pipe(explode_elements, replicas_in_field(), *key),
        answers.filter(col("error") != NO_ERROR).with_columns(replica_id="broker_id"),
    )
    return pl.concat([one.select(SPEC.columns) for one in several])


def replicas_in_field() -> pl.Expr:
    """(topic, partition, replica_id, error) of `[Topic=t,Partition=0,Replica=1]`."""
    names = ("topic", "partition", "replica")
    one = pl.struct(
        topic=element_field("topic"),
        partition=number_in_text(element_field("partition")),
        replica_id=number_in_text(element_field("replica")),
        error=lit(None, pl.String),
    )
    return matched_groups(field_text(), PARTITION_REPLICA, *names).list.eval(one)


def partition_errors() -> pl.Expr:
    """(topic, partition, error) of each partition of an answer."""
    one = pl.struct(
        topic=element_field("topic"),
        partition=number_in_text(element_field("partition")),
        error=element_field("error"),
    )
    return matched_groups(field_text(), PARTITION_ERROR, "topic", "partition", "error").list.eval(one)
