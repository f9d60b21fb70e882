"""Moves of partitions, from bronze.log_record."""

from pyspark.sql import DataFrame

from pipeline.kafka.columns import moves
from pipeline.kafka.families import fed
from schemas.silver.partition_transition import SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per line that moves a partition, or fails to; a line gives none or one row.

    Source: Kafka PartitionStateMachine, 0.8.1 to 3.9.
    """
    found = fed(log_record, "partition_transition").transform(moves)
    return found.where("topic IS NOT NULL AND partition IS NOT NULL").select(*SPEC.columns)
