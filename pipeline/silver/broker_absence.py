"""When brokers were out of service in KRaft mode, from silver.broker_event."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.kraft_offices import in_office
from schemas.silver.broker_absence import SPEC

FENCED = ("session_timed_out", "fence_granted", "shutdown_granted")
LEAVING = "controlled_shutdown_granted"
BACK = "unfence_granted"


def build(broker_event: DataFrame, term: DataFrame) -> DataFrame:
    """One row per decision of a controller in office.

    Source: BrokerHeartbeatManager, ReplicationControlManager, from 2.8.
    """
    decisions = broker_event.where("said_by = 'decision'").where(
        F.col("step").isin(*FENCED, LEAVING, BACK) & F.col("broker_id").isNotNull()
    )
    reigning = in_office(decisions, term)
    later = Window.partitionBy("cluster_id", "broker_id").orderBy("at", "file_id", "byte_offset")
    back_at = F.min(F.when(F.col("step") == BACK, F.col("at")))
    return (
        reigning.withColumn("back_at", back_at.over(later.rowsBetween(1, Window.unboundedFollowing)))
        .where(F.col("step") != BACK)
        .withColumn("is_fence", F.col("step") != LEAVING)
        .withColumnRenamed("at", "out_at")
        .select(*SPEC.columns)
    )
