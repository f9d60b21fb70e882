"""What the settings say of a cluster, as kernels take it."""

from datetime import UTC, datetime

from jobs.settings.model import Settings
from pipeline.model.settings import (
    AuditLimit,
    BalancingSetting,
    FindingSuppression,
    ReleaseSetting,
    SessionLimit,
    StatedBalancing,
)


def balancing_setting(settings: Settings, cluster_id: str) -> BalancingSetting:
    brokers = tuple(
        (one, balancing(settings, cluster_id, one)) for one in settings.cluster(cluster_id).brokers
    )
    return BalancingSetting(balancing(settings, cluster_id, None), brokers)


def balancing(settings: Settings, cluster_id: str, broker_id: int | None) -> StatedBalancing:
    told = settings.balancing(cluster_id, broker_id)
    ratio = None if told.per_broker_percentage is None else told.per_broker_percentage / 100
    return StatedBalancing(ratio, told.check_interval_seconds, told.auto_rebalance_enable, told.source)


def release_setting(settings: Settings, cluster_id: str) -> ReleaseSetting:
    cluster = settings.cluster(cluster_id)
    fixed = {None: cluster.release} | {node_id: one.release for node_id, one in cluster.brokers.items()}
    return ReleaseSetting(tuple((node_id, one) for node_id, one in fixed.items() if one is not None))


def session_limit(settings: Settings, cluster_id: str) -> SessionLimit:
    cluster = settings.cluster(cluster_id)
    session_ms = cluster.zookeeper_session_timeout_ms
    session_seconds = None if session_ms is None else session_ms / 1000
    return SessionLimit(session_seconds, cluster.broker_session_timeout_ms / 1000)


def audit_limit(settings: Settings, cluster_id: str, now: datetime | None = None) -> AuditLimit:
    """Suppressions that have expired by now are left out."""
    cluster = settings.cluster(cluster_id)
    known, now = cluster.known_findings, now or datetime.now(UTC)
    silenced = [
        FindingSuppression(reason=one.reason, rule=one.rule, entity=one.entity)
        for one in known.suppressions
        if now < one.until
    ]
    silenced += [
        FindingSuppression(reason=one.reason, since_at=one.since, until_at=one.until)
        for one in known.maintenance
    ]
    return AuditLimit(cluster.findings.model_dump(), tuple(silenced))
