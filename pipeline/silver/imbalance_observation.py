"""Kafka's own leader imbalance ratios, from bronze.log_record."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.families import fed
from schemas.silver.imbalance_observation import SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per ratio line; up to 0.10.2 the decimal sign follows the JVM's locale. What is no share is none.

    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    printed = F.col("fields")["imbalance_ratio"]
    return (
        fed(log_record, "imbalance_observation")
        .where("controller_id IS NOT NULL")
        .select(
            "*",
            F.col("logged_at").alias("checked_at"),
            printed.alias("printed"),
            F.replace(printed, F.lit(","), F.lit(".")).try_cast("double").alias("kafka_ratio"),
        )
        .where("kafka_ratio BETWEEN 0 AND 1")
        .select(*SPEC.columns)
    )
