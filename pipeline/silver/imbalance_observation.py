"""Kafka's own leader imbalance ratios, from bronze.log_record."""

import polars as pl
from polars import col

from pipeline.model.lines.families import family_records, printed_field
from pipeline.model.lines.texts import DOUBLE, number_in_text
from schemas.silver.imbalance_observation import SPEC


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per ratio line; up to 0.10.2 the decimal sign follows the JVM's locale. What is no share is none.

    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    printed = printed_field("imbalance_ratio")
    return (
        family_records(log_record, "imbalance_observation")
        .filter(col("controller_id").is_not_null())
        .with_columns(
            checked_at="logged_at",
            printed=printed,
            kafka_ratio=number_in_text(printed.str.replace_all(",", ".", literal=True), DOUBLE),
        )
        .filter(col("kafka_ratio").is_between(0, 1))
        .select(SPEC.columns)
    )
