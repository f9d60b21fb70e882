"""Ends of logs at the begin of a leadership, from bronze.log_record."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import number
from pipeline.kafka.families import fed
from schemas.silver.replica_offset import SPEC


def build(log_record: DataFrame) -> DataFrame:
    """One row per line.

    Source: Partition.makeLeader, makeFollower, from 2.6: a follower truncates its log only after that.
    """
    said = fed(log_record, "replica_offset").withColumns(
        {
            "is_leader": F.col("step") == "leads",
            "log_end_offset": number(F.col("fields")["start_offset"], "bigint"),
        }
    )
    known = ("topic", "partition", "broker_id", "leader_epoch", "log_end_offset")
    is_whole = F.lit(True)
    for name in known:
        is_whole = is_whole & F.col(name).isNotNull()
    return said.where(is_whole).select(*SPEC.columns)
