"""What the settings say, as small frames that builds take."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.settings import Settings
from pipeline.kafka.releases import bits, ends, halves, members


def balancing_settings(spark: SparkSession, settings: Settings, cluster_id: str) -> DataFrame:
    """What conf and given files say of leader balancing, null where they say nothing: of the cluster with broker_id
    null, then of each broker that conf names. source: of the threshold."""
    rows = []
    for broker_id in (None, *settings.cluster(cluster_id).brokers):
        told = settings.balancing(cluster_id, broker_id)
        ratio = None if told.per_broker_percentage is None else told.per_broker_percentage / 100
        rows.append(
            (
                cluster_id,
                broker_id,
                ratio,
                told.check_interval_seconds,
                told.auto_rebalance_enable,
                told.source,
            )
        )
    return spark.createDataFrame(
        rows,
        "cluster_id string, broker_id int, threshold_ratio double, check_interval_seconds long, "
        "is_auto_rebalance_enabled boolean, source string",
    )


def release_settings(spark: SparkSession, settings: Settings, cluster_id: str) -> DataFrame:
    """Releases fixed in conf: (cluster_id, node_id or null for all, bits, names); no row where none is."""
    cluster = settings.cluster(cluster_id)
    fixed = {None: cluster.release} | {node_id: one.release for node_id, one in cluster.brokers.items()}
    rows = []
    for node_id, release in fixed.items():
        if release is not None:
            some = bits(release, release)
            rows.append((cluster_id, node_id, *halves(some), *ends(some), members(some)))
    return spark.createDataFrame(
        rows,
        "cluster_id string, node_id int, older long, later long, "
        "since_release string, until_release string, releases array<string>",
    )


def session_limits(spark: SparkSession, settings: Settings, cluster_id: str) -> DataFrame:
    """One row: (cluster_id, session_seconds), how long ZooKeeper waits for a silent broker."""
    seconds = settings.cluster(cluster_id).zookeeper_session_timeout_ms / 1000
    return spark.createDataFrame([(cluster_id, seconds)], "cluster_id string, session_seconds double")


def audit_limits(source: DataFrame, settings: Settings) -> DataFrame:
    """One row: the limits of the rules of gold.finding, and until_at, the end of the data."""
    limits = settings.findings
    return source.groupBy("cluster_id").agg(
        F.max("last_logged_at").alias("until_at"),
        F.lit(limits.imbalance_checks).alias("imbalance_checks"),
        F.lit(limits.overlap_ms).alias("overlap_ms"),
        F.lit(limits.no_controller_ms).alias("no_controller_ms"),
        F.lit(limits.failover_slow_ms).alias("failover_slow_ms"),
    )
