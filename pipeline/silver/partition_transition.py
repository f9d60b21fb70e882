"""Moves of partitions, from bronze.log_record."""

from pyspark.sql import DataFrame

from pipeline.kafka.columns import moves
from schemas.silver.partition_transition import SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per line that moves a partition, or fails to; a line gives none or one row.

    Source: Kafka PartitionStateMachine, 0.8.1 to 3.9.
    """
    found = moves(log_record, "partition_transition")
    return found.where("topic IS NOT NULL AND partition IS NOT NULL").select(*SPEC.columns)
