"""When brokers were out of service in KRaft mode, from silver.broker_event."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.kraft_offices import in_office
from pipeline.kafka.unserved import kraft_silence
from schemas.silver.broker_absence import SPEC

SILENT = "session_timed_out"
FENCED = (SILENT, "fence_granted", "shutdown_granted")
LEAVING = "controlled_shutdown_granted"
BACK = "unfence_granted"


def build(broker_event: DataFrame, term: DataFrame, session_limit: DataFrame) -> DataFrame:
    """One row per decision of a controller in office.

    silent_from_at: a controller that takes over waits for the time-out anew, as did the one before it, whose end is not
    before the next one's election but for a moment. session_limit: see pipeline.kafka.unserved.
    Source: BrokerHeartbeatManager, ReplicationControlManager, from 2.8.
    """
    decisions = broker_event.where("said_by = 'decision'").where(
        F.col("step").isin(*FENCED, LEAVING, BACK) & F.col("broker_id").isNotNull()
    )
    reigning = in_office(decisions, term)
    later = Window.partitionBy("cluster_id", "broker_id").orderBy("at", "file_id", "byte_offset")
    back_at = F.min(F.when(F.col("step") == BACK, F.col("at")))
    elected = term.select("cluster_id", "term_id", "elected_at")
    is_watched = F.col("elected_at") + kraft_silence() < F.col("at")
    heard_at = F.when(is_watched, F.col("at")).otherwise(F.least("at", "elected_at"))
    return (
        reigning.join(F.broadcast(elected), on=["cluster_id", "term_id"], how="left")
        .join(F.broadcast(session_limit), on="cluster_id", how="left")
        .withColumn("back_at", back_at.over(later.rowsBetween(1, Window.unboundedFollowing)))
        .where(F.col("step") != BACK)
        .withColumn("silent_from_at", F.when(F.col("step") == SILENT, heard_at - kraft_silence()))
        .withColumn("is_fence", F.col("step") != LEAVING)
        .withColumnRenamed("at", "out_at")
        .select(*SPEC.columns)
    )
