"""What the settings say, as small frames that builds take."""

from datetime import UTC, datetime

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.settings import Settings
from pipeline.kafka.releases import bits, ends, halves, members

SUPPRESSION = "struct<reason: string, rule: string, entity: string, since_at: timestamp, until_at: timestamp>"


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
    """One row: (cluster_id, session_seconds, kraft_session_seconds), how long ZooKeeper and a KRaft controller wait for
    a silent broker."""
    cluster = settings.cluster(cluster_id)
    limits = (cluster.zookeeper_session_timeout_ms, cluster.broker_session_timeout_ms)
    row = (cluster_id, *(one / 1000 for one in limits))
    return spark.createDataFrame(
        [row], "cluster_id string, session_seconds double, kraft_session_seconds double"
    )


def audit_limits(
    source: DataFrame, settings: Settings, cluster_id: str, now: datetime | None = None
) -> DataFrame:
    """One row: the limits of the rules of gold.finding, what is known already (an array of SUPPRESSION, those that
    have expired left out), and until_at, the end of the data."""
    cluster = settings.cluster(cluster_id)
    known = cluster.known_findings
    now = now or datetime.now(UTC)
    silenced = [
        suppression(reason=one.reason, rule=one.rule, entity=one.entity)
        for one in known.suppressions
        if now < one.until
    ]
    silenced += [
        suppression(reason=one.reason, since=one.since, until=one.until) for one in known.maintenance
    ]
    given = F.array(*silenced).cast(f"array<{SUPPRESSION}>")
    limits = {name: F.lit(value).alias(name) for name, value in cluster.findings.model_dump().items()}
    return source.groupBy("cluster_id").agg(
        F.max("last_logged_at").alias("until_at"), *limits.values(), F.first(given).alias("suppressions")
    )


def suppression(
    *,
    reason: str,
    rule: str | None = None,
    entity: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Column:
    values = {"reason": reason, "rule": rule, "entity": entity, "since_at": since, "until_at": until}
    return F.struct(*(F.lit(value).alias(name) for name, value in values.items())).cast(SUPPRESSION)
