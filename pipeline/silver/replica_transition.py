"""Moves of replicas, from bronze.log_record."""

from pyspark.sql import DataFrame

from pipeline.kafka.columns import moves
from pipeline.kafka.families import fed
from schemas.silver.replica_transition import SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per line that moves a replica, or fails to; a line gives none or one row.

    Source: Kafka ReplicaStateMachine, 0.8.1 to 3.9.
    """
    found = fed(log_record, "replica_transition").transform(moves)
    return found.where("topic IS NOT NULL AND replica_id IS NOT NULL").select(*SPEC.columns)
