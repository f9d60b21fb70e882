"""What the settings say about one cluster or broker."""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import Field, PositiveInt, PrivateAttr

from jobs.settings.declared import DeclaredSettings, ZooKeeper
from jobs.settings.findings import FindingLimits, FindingLimitsOverride, KnownFindings
from jobs.settings.leader_balancing import (
    PER_BROKER,
    BrokerBalancing,
    LeaderImbalance,
    LeaderImbalanceOverride,
    PropertiesFile,
)
from jobs.settings.masking import MaskingPart
from jobs.settings.types import ClusterName, EnvelopeName, NodeId, Release, Zone
from pipeline.kafka.layout.paths import BUILT_IN_PATTERNS

# They say what is read, how much at once or when; not what comes out of it.
WITHOUT_EFFECT_ON_RESULTS: dict[str, Any] = {
    "quiet_seconds": True,
    "follow_links": True,
    "placement": True,
    "limits": {
        "driver_bytes",
        "clusters_at_once",
        "span_bytes",
        "shard_bytes",
        "incident_bytes",
        "archive_bytes",
        "archive_members",
        "range_bytes",
        "max_file_bytes",
        "max_ratio",
    },
    "storage": True,
}


class KRaftOverride(MaskingPart):
    broker_session_timeout_ms: PositiveInt | None = None


# How clusters and brokers say what differs.
EXAMPLE = """\
clusters:
  prod:
    zone: Europe/Berlin
    envelope: "[%d] %p %m (%c)%n"
    release: "2.8"
    leader_imbalance: {per_broker_percentage: 5}
    findings: {outage_ms: 5000}
    known_findings: {maintenance: [{since: 2026-11-21T08:00, until: 2026-11-21T10:00, reason: upgrade}]}
    server_properties: /etc/kafka/prod/server.properties
    brokers:
      3: {zone: America/New_York, envelope: cri/ecs, release: "3.2.3", per_broker_percentage: 20}
      4: {server_properties: /etc/kafka/prod/server-4.properties, auto_rebalance_enable: false}"""


class BrokerOverride(LeaderImbalanceOverride):
    zone: Zone | None = None
    envelope: EnvelopeName | None = None
    release: Release | None = None
    server_properties: PropertiesFile | None = None


class ClusterOverride(MaskingPart):
    zone: Zone | None = None
    envelope: EnvelopeName | None = None
    release: Release | None = None
    leader_imbalance: LeaderImbalanceOverride = LeaderImbalanceOverride()
    zookeeper: ZooKeeper = ZooKeeper()
    kraft: KRaftOverride = KRaftOverride()
    findings: FindingLimitsOverride = FindingLimitsOverride()
    known_findings: KnownFindings = KnownFindings()
    server_properties: PropertiesFile | None = None
    brokers: dict[NodeId, BrokerOverride] = Field(default_factory=dict)


class ClusterSettings(MaskingPart):
    """What holds in one cluster: its own settings over those of all."""

    cluster_id: str
    zone: str
    envelope: str | None
    release: str | None
    leader_imbalance: LeaderImbalance
    zookeeper_session_timeout_ms: int | None
    broker_session_timeout_ms: int
    findings: FindingLimits
    known_findings: KnownFindings
    server_properties: PropertiesFile | None
    brokers: dict[int, BrokerOverride]


class Settings(DeclaredSettings):
    """The settings in force."""

    clusters: dict[ClusterName, ClusterOverride] = Field(
        default_factory=dict, description="What differs in one cluster or one broker:\n" + EXAMPLE
    )

    _sources: dict[str, str] = PrivateAttr(default_factory=dict)

    def is_server_read(self, *, is_kraft: bool) -> bool:
        """Whether server.log is read of a cluster; where nothing is set, of one in KRaft."""
        return is_kraft if self.server_log is None else self.server_log

    def cluster(self, cluster_id: str) -> ClusterSettings:
        own = self.clusters.get(cluster_id, ClusterOverride())
        return ClusterSettings(
            cluster_id=cluster_id,
            zone=own.zone or self.zone,
            envelope=own.envelope or self.envelope,
            release=own.release or self.release,
            leader_imbalance=self.leader_imbalance.model_copy(
                update=own.leader_imbalance.model_dump(exclude_none=True)
            ),
            zookeeper_session_timeout_ms=own.zookeeper.session_timeout_ms
            or self.zookeeper.session_timeout_ms,
            broker_session_timeout_ms=own.kraft.broker_session_timeout_ms
            or self.kraft.broker_session_timeout_ms,
            findings=self.findings.model_copy(update=own.findings.model_dump(exclude_none=True)),
            known_findings=KnownFindings(
                suppressions=self.known_findings.suppressions + own.known_findings.suppressions,
                maintenance=self.known_findings.maintenance + own.known_findings.maintenance,
            ),
            server_properties=own.server_properties or self.server_properties,
            brokers=own.brokers,
        )

    def zone_of(self, cluster_id: str, node_id: int | None) -> str:
        """The zone of a node's local times; node_id None: the node is not known."""
        cluster = self.cluster(cluster_id)
        broker = cluster.brokers.get(node_id) if node_id is not None else None
        return (broker and broker.zone) or cluster.zone

    def envelope_of(self, cluster_id: str, node_id: int | None, path: str) -> str | None:
        """The envelope of a file, by its path below --logs, the broker that the path names, or its cluster;
        None: to be detected."""
        by_path = next((one.envelope for one in self.path_envelopes if re.search(one.path, path)), None)
        cluster = self.cluster(cluster_id)
        broker = cluster.brokers.get(node_id) if node_id is not None else None
        return by_path or (broker and broker.envelope) or cluster.envelope

    def balancing(self, cluster_id: str, broker_id: int | None) -> BrokerBalancing:
        """What conf and a given server.properties tell a broker (None: its cluster) about leader balancing.

        conf before the files; of each what is said of the broker, then of its cluster, then of all.
        """
        cluster = self.clusters.get(cluster_id, ClusterOverride())
        broker = (
            cluster.brokers.get(broker_id, BrokerOverride()) if broker_id is not None else BrokerOverride()
        )
        general = {
            name: value
            for name, value in self.leader_imbalance
            if self.source_of(f"leader_imbalance.{name}") != "defaults"
        }
        told = [broker, cluster.leader_imbalance, LeaderImbalanceOverride(**general)]
        files = [broker.server_properties, cluster.server_properties, self.server_properties]

        def first(some: Sequence[object], name: str) -> Any:
            said = (getattr(one, name, None) for one in some)
            return next((one for one in said if one is not None), None)

        names = LeaderImbalance.model_fields
        per_broker = [first(some, PER_BROKER) is not None for some in (told, files)]
        source = "conf" if per_broker[0] else "server.properties" if per_broker[1] else None
        return BrokerBalancing(**{name: first([*told, *files], name) for name in names}, source=source)

    def patterns(self) -> tuple[str, ...]:
        """The patterns of paths in the order in which they are tried."""
        return (*self.path_patterns, *BUILT_IN_PATTERNS)

    def source_of(self, key: str) -> str:
        """Where a value came from: 'defaults', a file, a variable of the environment, a flag."""
        parts = key.split(".")
        prefixes = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
        return next((self._sources[prefix] for prefix in prefixes if prefix in self._sources), "defaults")

    def fingerprint(self, cluster_id: str | None = None, *, with_findings: bool = True) -> str:
        """SHA-256 of what changes results: of all, or of what concerns one cluster; with_findings: also of what
        changes findings alone."""
        said = self.model_dump(mode="json", by_alias=True, exclude=WITHOUT_EFFECT_ON_RESULTS)
        said["told"] = self.balancing(cluster_id or self.cluster_id, None)
        if cluster_id is not None:
            for key in (
                "cluster",
                "zone",
                "envelope",
                "release",
                "leader_imbalance",
                "zookeeper",
                "kraft",
                "findings",
                "known_findings",
                "server_properties",
                "clusters",
            ):
                del said[key]
            said |= self.cluster(cluster_id).model_dump(mode="json")
        if not with_findings:
            del said["findings"], said["known_findings"]
        canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()
