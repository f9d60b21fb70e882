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
