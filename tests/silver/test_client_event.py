"""What server.log says of what clients get: refused appends, coordinators that loaded, logs with their settings."""

from pipeline.silver.client_event import build
from schemas.silver.client_event import SPEC
from tests.rows import declared_rows, records_in

LINES = """
    [2026-11-21 09:00:00,001] INFO Created log for partition strict-0 in /data/strict-0 with properties {min.insync.replicas=2} (kafka.log.LogManager)
    [2026-11-21 09:00:00,002] INFO Created log for partition loose-0 in /data/loose-0 with properties {} (kafka.log.LogManager)
    [2026-11-21 09:00:00,003] INFO Created log for partition old-0 in /data/old-0 with properties {compression.type -> producer, min.insync.replicas -> 3, flush.ms -> 9}. (kafka.log.LogManager)
    [2026-11-21 09:00:01,001] ERROR [ReplicaManager broker=1] Error processing append operation on partition strict-0 (kafka.server.ReplicaManager)
    org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(1) is insufficient to satisfy the min.isr requirement of 2 for partition strict-0
    [2026-11-21 09:00:01,002] ERROR [ReplicaManager broker=1] Error processing append operation on partition strict-0 (kafka.server.ReplicaManager)
    org.apache.kafka.common.errors.CorruptRecordException: Record is corrupt
    [2026-11-21 09:00:02,001] INFO [GroupMetadataManager brokerId=1] Finished loading offsets and group metadata from __consumer_offsets-7 in 41 milliseconds for epoch 3, of which 2 milliseconds was spent in the scheduler. (kafka.coordinator.group.GroupMetadataManager)
    [2026-11-21 09:00:03,001] INFO [Admin Manager on Broker 1]: Error processing create topic request CreatableTopic(name='job-1', numPartitions=2, replicationFactor=3, assignments=[], configs=[]) (kafka.server.ZkAdminManager)
    org.apache.kafka.common.errors.InvalidReplicationFactorException: Replication factor: 3 larger than available brokers: 2.
"""
OLD = """
    [2026-11-21 09:00:03,001] INFO [Admin Manager on Broker 1]: Error processing create topic request for topic job-1 with arguments (numPartitions=2, replicationFactor=3, replicasAssignments={}, configs={}) (kafka.server.AdminManager)
    org.apache.kafka.common.errors.InvalidReplicationFactorException: Replication factor: 3 larger than available brokers: 2.
"""
CLASS = "org.apache.kafka.common.errors"


def test_each_line_is_a_row_and_other_failed_appends_are_none() -> None:
    rows = declared_rows(build(records_in({(1, "server"): LINES})), SPEC).sort("logged_at")
    assert rows.select("step", "topic", "partition", "isr", "min_isr", "took_ms", "reason").rows() == [
        ("log_created", "strict", 0, None, 2, None, None),
        ("log_created", "loose", 0, None, None, None, None),
        ("log_created", "old", 0, None, 3, None, None),
        ("append_refused", "strict", 0, [1], 2, None, f"{CLASS}.NotEnoughReplicasException"),
        ("groups_loaded", "__consumer_offsets", 7, None, None, 41, None),
        ("creation_refused", "job-1", None, None, None, None, f"{CLASS}.InvalidReplicationFactorException"),
    ]


def test_releases_up_to_2_2_name_the_topic_in_front_of_its_arguments() -> None:
    rows = build(records_in({(1, "server"): OLD}))
    assert rows.select("step", "topic").rows() == [("creation_refused", "job-1")]


NAMING = """
    [2026-11-21 09:00:00,001] INFO [GroupCoordinator 1]: Loading group metadata for billing with generation 4 (kafka.coordinator.group.GroupCoordinator)
    [2026-11-21 09:00:00,002] INFO [GroupCoordinator 1]: Stabilized group billing generation 5 (__consumer_offsets-7) with 2 members (kafka.coordinator.group.GroupCoordinator)
    [2026-11-21 09:00:00,003] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] Loaded classic group audit with 1 members. (org.apache.kafka.coordinator.group.GroupMetadataManager)
    [2026-11-21 09:00:00,004] INFO [TransactionCoordinator id=1] Initialized transactionalId tx-1 with producerId 9 and producer epoch 0 on partition __transaction_state-2 (kafka.coordinator.transaction.TransactionCoordinator)
"""


def test_groups_and_transactional_ids_are_named_with_their_partition_where_a_line_has_it() -> None:
    rows = declared_rows(build(records_in({(1, "server"): NAMING})), SPEC).sort("logged_at")
    assert rows.select("step", "topic", "partition", "name").rows() == [
        ("group_named", "__consumer_offsets", None, "billing"),
        ("group_named", "__consumer_offsets", 7, "billing"),
        ("group_named", "__consumer_offsets", 3, "audit"),
        ("transactional_id_named", "__transaction_state", 2, "tx-1"),
    ]
