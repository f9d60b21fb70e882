"""What the settings of a cluster say, as kernels take it."""

from collections.abc import Mapping
from dataclasses import dataclass
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


# Kafka's default of broker.session.timeout.ms, in seconds.
KRAFT_SESSION_SECONDS = 9.0


@dataclass(frozen=True)
class SessionLimit:
    """How long ZooKeeper (session_seconds; None: as brokers say) and a KRaft controller (kraft_session_seconds) wait
    for a silent broker."""

    session_seconds: float | None = None
    kraft_session_seconds: float = KRAFT_SESSION_SECONDS


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
    """From when on something is a finding (settings findings.*, by name of the limit), and which are known."""

    limits: Mapping[str, int]
    suppressions: tuple[FindingSuppression, ...] = ()
