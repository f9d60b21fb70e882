"""What the settings of a cluster say, as kernels take it."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class StatedBalancing:
    """What conf or a given server.properties tells a broker about leader balancing; None: nothing.

    threshold_ratio: leader.imbalance.per.broker.percentage / 100. source: who says threshold_ratio, conf or
    server.properties.
    """

    threshold_ratio: float | None = None
    check_interval_seconds: int | None = None
    is_auto_rebalance_enabled: bool | None = None
    source: str | None = None


@dataclass(frozen=True)
class BalancingSetting:
    """What is said of the cluster, and by broker id of brokers that are named; a broker's counts as a whole."""

    cluster: StatedBalancing = StatedBalancing()
    brokers: tuple[tuple[int, StatedBalancing], ...] = ()


@dataclass(frozen=True)
class ReleaseSetting:
    """Releases of Kafka that conf fixes, by node id; None: all nodes that are not named."""

    by_node: tuple[tuple[int | None, str], ...] = ()


@dataclass(frozen=True)
class SessionLimit:
    """How long ZooKeeper (session_seconds; None: as brokers say) and a KRaft controller (kraft_session_seconds) wait
    for a silent broker."""

    session_seconds: float | None = None
    kraft_session_seconds: float = 9.0


@dataclass(frozen=True)
class FindingSuppression:
    """Findings that are known. entity: a regular expression that matches an entity whole; since_at, until_at: a stretch
    of maintenance."""

    reason: str
    rule: str | None = None
    entity: str | None = None
    since_at: datetime | None = None
    until_at: datetime | None = None


@dataclass(frozen=True)
class AuditLimit:
    """From when on something is a finding (settings findings.*), and which are known."""

    overlap_ms: int = 1000
    no_controller_ms: int = 30_000
    no_quorum_leader_ms: int = 10_000
    failover_slow_ms: int = 10_000
    imbalance_checks: int = 2
    outage_ms: int = 1000
    deletion_ms: int = 10_000
    creation_ms: int = 5_000
    unled_topic_ms: int = 60_000
    flapping_departures: int = 3
    flapping_minutes: int = 60
    reassignment_minutes: int = 15
    suppressions: tuple[FindingSuppression, ...] = field(default=())
