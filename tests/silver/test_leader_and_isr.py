"""Statements about leaders, ISR and assignment: one partition a line, many in one line, brokers and controllers."""

from pipeline.silver import leader_and_isr
from schemas.silver.leader_and_isr import SPEC
from tests.frames import frame
from tests.rows import records_in, same_rows

STATE_CHANGE = """
    [2026-11-21 00:00:01,000] TRACE [Controller id=1 epoch=5] Sending UpdateMetadata request PartitionState(controllerEpoch=5, leader=-2, leaderEpoch=3, isr=[2, 1], zkVersion=4, replicas=[2, 1], offlineReplicas=[]) to brokers Set(1, 2) for partition o-0 (state.change.logger)
    [2026-11-21 00:00:02,000] INFO [Controller id=1 epoch=5] Partition o-0 state changed to (Leader:-1,ISR:2,LeaderEpoch:4,ControllerEpoch:5) after removing replica 2 from the ISR as part of transition to OfflineReplica (state.change.logger)
    [2026-11-21 00:00:05,000] TRACE [Controller id=1 epoch=5] Changed partition o-0 state from OnlinePartition to OfflinePartition (state.change.logger)
"""
CONTROLLER = """
    [2026-11-21 00:00:03,000] INFO [Controller id=1] New topics: [Set(a-1, b)], deleted topics: [Set()], new partition replica assignment [Map(a-1-0 -> Vector(3, 1), b-1 -> ReplicaAssignment(replicas=2,1, addingReplicas=, removingReplicas=))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [Controller id=1] Updated assigned replicas for partition o-0 being reassigned to 3,2 (kafka.controller.KafkaController)
"""
SERVER = """
    [2026-11-21 00:00:06,000] INFO [Partition o-0 broker=2] Shrinking ISR from 2,1 to 2. Leader: (highWatermark: 5, endOffset: 9). Out of sync replicas: (brokerId: 1, endOffset: 5). (kafka.cluster.Partition)
    [2026-11-21 00:00:07,000] INFO [Partition o-0 broker=2] ISR updated to [2] and zkVersion updated to [6] (kafka.cluster.Partition)
    [2026-11-21 00:00:08,000] INFO [Partition o-0 broker=2] ISR updated to 2,1  and version updated to 7 (kafka.cluster.Partition)
    [2026-11-21 00:00:09,000] INFO [Partition o-0 broker=2] Cached zkVersion 7 not equal to that in zookeeper, skip updating ISR (kafka.cluster.Partition)
"""


def test_statements() -> None:
    records = records_in({(1, "state-change"): STATE_CHANGE, (1, "controller"): CONTROLLER})
    expected = frame(
        SPEC,
        """
        logged_at | teller     | topic | partition | leader | leader_epoch | isr   | replicas
        1         | controller | o     | 0         | -2     | 3            | [2 1] | [2 1]
        2         | controller | o     | 0         | -1     | 4            | [2]   |
        3         | controller | a-1   | 0         |        |              |       | [3 1]
        3         | controller | b     | 1         |        |              |       | [2 1]
        4         | controller | o     | 0         |        |              |       | [3 2]
        """,
    )
    same_rows(
        leader_and_isr.build(records), expected,
        "logged_at", "teller", "topic", "partition", "leader", "leader_epoch", "isr", "replicas",
    )  # fmt: skip


def test_what_controllers_write_for_leaders_has_its_number() -> None:
    """Up to 3.2 beside the ISR, since then in the state."""
    line = "[2026-11-21 00:00:0{},000] DEBUG [Controller id=1] ISR for partition o-0 updated to {} (kafka.controller.KafkaController)"
    state = "LeaderAndIsr(leader=2, leaderEpoch=4, isrWithBrokerEpoch=List(BrokerState(brokerId=2, brokerEpoch=-1)), leaderRecoveryState=RECOVERED, partitionEpoch=8)."
    lines = [line.format(1, "[2,1] and zkVersion updated to [7]"), line.format(2, state)]
    found = leader_and_isr.build(records_in({(1, "controller"): "\n".join(lines)})).sort("logged_at")
    assert found.select("isr", "partition_epoch").rows() == [([2, 1], 7), ([2], 8)]


def test_what_leaders_say() -> None:
    """Who prints it leads; a write has its number, and a refused one that of the last write that the leader knew."""
    records = records_in({(1, "state-change"): STATE_CHANGE, (2, "server"): SERVER})
    found = leader_and_isr.build(records)
    expected = frame(
        SPEC,
        """
        logged_at | event                    | teller     | leader | previous_isr | isr   | partition_epoch
        1         | update_metadata_sent     | controller | -2     |              | [2 1] | 4
        2         | replica_removed_from_isr | controller | -1     |              | [2]   |
        6         | isr_shrinking            | leader     | 2      | [2 1]        | [2]   |
        7         | isr_written              | leader     | 2      |              | [2]   | 6
        8         | isr_written              | leader     | 2      |              | [2 1] | 7
        9         | isr_version_conflict     | leader     | 2      |              |       | 7
        """,
    )
    same_rows(
        found, expected, "logged_at", "event", "teller", "leader", "previous_isr", "isr", "partition_epoch"
    )
