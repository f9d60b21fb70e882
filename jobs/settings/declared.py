"""The settings, each declared once: its key, what it may be, its default, and what it means.

conf/kafka-controller-audit.yaml and docs/reference/settings.md are made of it (`make docs`).
"""

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from jobs.settings.findings import FindingLimits, KnownFindings
from jobs.settings.leader_balancing import LeaderImbalance, PropertiesFile
from jobs.settings.masking import MaskingPart, MaskingSettings
from jobs.settings.types import ClusterName, EnvelopeName, Pattern, Regex, Release, ServerLog, Zone
from pipeline.core.scan import DEFAULT_MAX_RECORD_BYTES
from pipeline.model.settings import KRAFT_SESSION_SECONDS

MOST_DAYS = 36_500


class PathEnvelope(MaskingPart):
    path: Regex
    envelope: EnvelopeName


class Limits(MaskingPart):
    driver_bytes: Annotated[int, Field(ge=0)] = Field(
        64 << 20,
        description="A night that brings no more bytes than this is read and judged in the driver (placement: auto).",
    )
    clusters_at_once: PositiveInt | None = Field(
        None,
        description="So many clusters of a run that each bring no more than driver_bytes are run side by side, in "
        "processes of the driver's machine or tasks of executors; null: one a processor, as far as memory reaches, of "
        "tasks one a core; 1: one after the other.",
    )
    span_bytes: PositiveInt = Field(
        512 << 20,
        description="A run that has more to read than this, unpacked, reads and publishes it in spans of days, each of "
        "about so many bytes: memory follows a span.",
    )
    shard_bytes: PositiveInt = Field(
        64 << 20,
        description="On executors tables are built in shards of topics, each of about so many bytes of logs: memory of "
        "a task follows a shard.",
    )
    incident_bytes: PositiveInt = Field(
        1 << 30,
        description="Logs of one cluster that `incident` reads: they stand in memory, 14 to 40 times as long. More is "
        "the nightly's.",
    )
    archive_bytes: PositiveInt = Field(
        2 << 30,
        description="Bytes that `incident` unpacks of all archives together; what is left out is said.",
    )
    archive_members: PositiveInt = Field(20_000, description="So many members of archives it looks at.")
    range_bytes: PositiveInt = Field(
        64 << 20, description="How many bytes of a plain file one Spark task reads."
    )
    max_record_bytes: PositiveInt = Field(
        DEFAULT_MAX_RECORD_BYTES,
        description="A record longer than this is not parsed; it is kept as far as this, and said.",
    )
    max_file_bytes: PositiveInt = Field(
        256 << 30, description="A file with more bytes than this, unpacked, is not read; it is said."
    )
    max_ratio: PositiveInt = Field(
        500,
        description="Nor is one that unpacks to more than this times its size, counted from 64 MiB on.",
    )


class Storage(MaskingPart):
    retention_days: Annotated[int, Field(ge=1, le=MOST_DAYS)] = Field(
        30,
        description="How many days what older runs published stays readable (--run-id); then maintain removes the "
        "files that only they need.",
    )
    zstd_level: Annotated[int, Field(ge=1, le=22)] = Field(
        9,
        description="Level of the Zstandard compression of what is written, from 1 (quick) to 22 (small).",
    )


class ZooKeeper(MaskingPart):
    session_timeout_ms: PositiveInt | None = Field(
        None,
        description="zookeeper.session.timeout.ms: a dead broker is unnoticed for no longer. null: as the broker lists "
        "it in server.log, else Kafka's default of its release, 6000 up to 2.4 and 18000 from 2.5 on.",
    )


class KRaft(MaskingPart):
    broker_session_timeout_ms: PositiveInt = Field(
        round(KRAFT_SESSION_SECONDS * 1000),
        description="broker.session.timeout.ms: a KRaft controller fences a broker that was silent for so long.",
    )


class DeclaredSettings(MaskingPart):
    """The settings, as a file may say them."""

    cluster_id: ClusterName = Field(
        "default",
        alias="cluster",
        description="Name of the cluster that logs belong to when their path names none.",
    )
    zone: Zone = Field(
        "UTC",
        description="Time zone of the local times that brokers write, by its IANA name.",
    )
    envelope: EnvelopeName | None = Field(
        None,
        description="Form of the lines, where it is not to be detected: a ConversionPattern of log4j in quotes, or a "
        "name (docs/reference/layouts.md lists them). Before it, each with a slash, what stands around every line, "
        'the outermost first: "cri/[%d] %p %m (%c)%n". Words of another program before the time are a regular '
        r"expression: 'prefix:\[\d+\] kafka: /stock'",
    )
    path_envelopes: tuple[PathEnvelope, ...] = Field(
        (),
        description="The same for paths below --logs that a regular expression finds, before broker and cluster: "
        "[{path: kafka-0/0.log, envelope: cri/stock}]",
    )
    release: Release | None = Field(
        None,
        description='Release of Kafka that the nodes run ("2.2.2", or "2.2" for all of it, in quotes); null: told from '
        "their lines.",
    )
    server_log: ServerLog = Field(
        None,
        examples=["auto"],
        description="Read server.log too: why a broker left or a start failed, truncations, fencing and session losses "
        "stand there and nowhere else. auto: of clusters in KRaft, whose stock configuration writes what the quorum "
        "and brokers say into it.",
    )
    follow_links: bool = Field(
        default=False,
        description="Follow links that lead out of the folder given with --logs. Others are never followed: what they "
        "lead to is read anyway.",
    )
    quiet_seconds: Annotated[int, Field(ge=0)] = Field(
        60,
        description="The last record of a file that may still grow is held back until the file has been quiet for so "
        "many seconds.",
    )
    path_patterns: tuple[Pattern, ...] = Field(
        (),
        description="Regular expressions for paths below --logs, with the groups cluster, node and log (each may be "
        "missing). They are tried before the built-in ones: <cluster>/<broker-N>/..., <broker-N>/..., "
        "kafka-N.host.name/..., a bare file.",
    )
    placement: Literal["auto", "driver", "executors"] = Field(
        "auto",
        description="Where records are read and understood: auto (by limits.driver_bytes), driver, or executors (Spark "
        "tasks).",
    )
    limits: Limits
    masking: MaskingSettings = Field(
        description="What is replaced by tokens before anything is written, the bytes of the lines and paths included. "
        "Off where both lists are empty. A warehouse is read with one masking: another one needs another warehouse."
    )
    storage: Storage
    leader_imbalance: LeaderImbalance = Field(
        description="What the brokers were told; Kafka's own defaults. What is set here, or in one cluster or broker, "
        "counts before server_properties, that before what the brokers print into server.log when they start (where it "
        "is read), and that before these defaults."
    )
    server_properties: PropertiesFile | None = Field(
        None,
        description="Path of a server.properties of the brokers: the three settings above are read from it, and "
        "nothing else of it.",
    )
    zookeeper: ZooKeeper
    kraft: KRaft
    findings: FindingLimits
    known_findings: KnownFindings = Field(
        description="Findings that are known: they are kept and counted, but neither told on the first screen nor do "
        "they decide the exit code."
    )
