"""Settings, features and access that a line says were set or removed; no secret among them."""

from pathlib import Path

from polars import col

from pipeline.core.frames import frame_of
from pipeline.silver import config_event
from schemas.silver.config_event import SPEC
from tests.frames import frame
from tests.lab import folder_of, records
from tests.rows import declared_rows, records_in, same_rows

CONFIG, FEATURE = "ConfigurationControlManager", "FeatureControlManager"
LINES = f"""
    [2026-11-21 00:00:01,000] INFO [QuorumController id=1] Replayed ConfigRecord for ConfigResource(type=TOPIC, name='a.x') which set configuration retention.ms to 60000 (org.apache.kafka.controller.{CONFIG})
    [2026-11-21 00:00:02,000] INFO [QuorumController id=1] Replayed ConfigRecord for ConfigResource(type=BROKER, name='') which set configuration message.max.bytes to null (org.apache.kafka.controller.{CONFIG})
    [2026-11-21 00:00:03,000] INFO [QuorumController id=1] Replayed ConfigRecord for ConfigResource(type=BROKER, name='3') which set configuration leader.replication.throttled.rate to [hidden] (org.apache.kafka.controller.{CONFIG})
    [2026-11-21 00:00:04,000] INFO [Controller 1] ConfigResource(type=BROKER, name='3'): set configuration listener.name.internal.ssl.key.password to hunter2 (org.apache.kafka.controller.{CONFIG})
    [2026-11-21 00:00:05,000] INFO [QuorumController id=1] Replayed a FeatureLevelRecord setting metadata.version to 3.9-IV0 (org.apache.kafka.controller.{FEATURE})
    [2026-11-21 00:00:06,000] INFO [QuorumController id=1] Replayed a FeatureLevelRecord setting feature group.version to 1 (org.apache.kafka.controller.{FEATURE})
    [2026-11-21 00:00:07,000] INFO [QuorumController id=1] Replayed a FeatureLevelRecord removing feature group.version (org.apache.kafka.controller.{FEATURE})
    [2026-11-21 00:00:08,000] INFO [Controller 1] Setting metadata.version to 7 (org.apache.kafka.controller.{FEATURE})
    [2026-11-21 00:00:09,000] INFO [QuorumController id=1] Replayed ClientQuotaRecord for ClientQuotaEntity(entries={{client-id=batch}}) setting producer_byte_rate to 1024.0. (org.apache.kafka.controller.ClientQuotaControlManager)
    [2026-11-21 00:00:10,000] INFO [QuorumController id=1] Replayed ClientQuotaRecord for ClientQuotaEntity(entries={{client-id=batch}}) removing producer_byte_rate. (org.apache.kafka.controller.ClientQuotaControlManager)
    [2026-11-21 00:00:14,000] INFO Processing override for entityPath: topics/a.x with config: HashMap(retention.ms -> 60000, cleanup.policy -> compact,delete) (kafka.server.ZkConfigManager)
    [2026-11-21 00:00:15,000] INFO Processing override for entityPath: brokers/<default> with config: Map() (kafka.server.DynamicConfigManager)
    [2026-11-21 00:00:16,000] INFO Processing override for entityType: topics, entity: b with config: {{segment.ms=1}} (kafka.server.DynamicConfigManager)
    [2026-11-21 00:00:17,000] INFO Processing override for entityPath: users/alice with config: {{SCRAM-SHA-256=salt=x,iterations=4096, producer_byte_rate=1}} (kafka.server.DynamicConfigManager)
    [2026-11-21 00:00:12,000] INFO [RaftManager id=1] Latest set of voters is VoterSet(voters={{2=VoterNode(voterKey=ReplicaKey(id=2, directoryId=bb-B), listeners=Endpoints(endpoints={{ListenerName(CONTROLLER)=c:2}}), supportedKRaftVersion=SupportedVersionRange[min_version:0, max_version:1]), 1=VoterNode(voterKey=ReplicaKey(id=1, directoryId=aaA), listeners=Endpoints(endpoints={{}}))}}) at offset 77 (org.apache.kafka.raft.internals.KRaftControlRecordStateMachine)
    [2026-11-21 00:00:13,000] INFO [RaftManager id=1] Latest kraft.version is 1 at offset 76 (org.apache.kafka.raft.internals.KRaftControlRecordStateMachine)
    [2026-11-21 00:00:11,000] INFO [QuorumController id=1] Replayed RemoveUserScramCredentialRecord for alice with mechanism SCRAM_SHA_256. (org.apache.kafka.controller.ScramControlManager)
"""


def test_each_record_that_a_line_names() -> None:
    expected = frame(
        SPEC,
        """
        logged_at | record  | step    | resource_type | resource_name | name                                     | value
        1         | config  | set     | TOPIC         | a.x           | retention.ms                             | 60000
        2         | config  | removed | BROKER        |               | message.max.bytes                        |
        3         | config  | written | BROKER        | 3             | leader.replication.throttled.rate        | [hidden]
        4         | config  | set     | BROKER        | 3             | listener.name.internal.ssl.key.password  | [hidden]
        5         | feature | set     |               |               | metadata.version                         | 3.9-IV0
        6         | feature | set     |               |               | group.version                            | 1
        7         | feature | removed |               |               | group.version                            |
        8         | feature | set     |               |               | metadata.version                         | 7
        9         | quota   | set     |               | ClientQuotaEntity(entries={client-id=batch}) | producer_byte_rate | 1024.0
        10        | quota   | removed |               | ClientQuotaEntity(entries={client-id=batch}) | producer_byte_rate |
        14        | config  | stated  | TOPIC         | a.x           | all                                      | cleanup.policy = compact,delete, retention.ms = 60000
        15        | config  | stated  | BROKER        |               | all                                      |
        16        | config  | stated  | TOPIC         | b             | all                                      | segment.ms = 1
        17        | quota   | stated  |               | users/alice   | all                                      | SCRAM-SHA-256 = [hidden], producer_byte_rate = 1
        12        | voters  | set     |               |               | voters                                   | 1 (aaA), 2 (bb-B)
        13        | feature | set     |               |               | kraft.version                            | 1
        11        | scram   | removed |               | alice         | SCRAM_SHA_256                            |
        """,
    )
    columns = ("logged_at", "record", "step", "resource_type", "resource_name", "name", "value")
    same_rows(config_event.build(records_in({(1, "controller"): LINES})), expected, *columns)


def test_settings_of_a_lab(shared: Path) -> None:
    """Every controller prints each record: what was asked for is what the logs have, and nothing else."""
    folder = folder_of(shared, "4.0.0-kraft-combined-moves")
    rows = declared_rows(config_event.build(frame_of(records(folder))), SPEC)
    own = rows.filter(col("resource_name") == "user.profile-v2").select("name", "step", "value").unique()
    assert sorted(own.rows(), key=str) == [
        ("min.insync.replicas", "removed", None),
        ("min.insync.replicas", "set", "2"),
        ("retention.ms", "set", "43200000"),
        ("retention.ms", "set", "86400000"),
        ("unclean.leader.election.enable", "removed", None),
        ("unclean.leader.election.enable", "set", "true"),
    ]
    assert set(rows["controller_id"]) == {1, 2, 3}
