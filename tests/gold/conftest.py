"""One small story told by log lines, and all tables that the kernels build from it."""

from typing import Any

import pytest

from tests.chain import ORDER, built
from tests.rows import records_in

# Broker 1 is elected, creates two topics; broker 2 dies and comes back; topic b is deleted; broker 3 takes over.
CONTROLLER_1 = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,050] INFO [ReplicaStateMachine controllerId=1] Initializing replica state (kafka.controller.ReplicaStateMachine)
    [2026-11-21 00:00:01,100] INFO [Controller id=1] Ready to serve as the new controller with epoch 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] New topics: [Set(a, b)], deleted topics: [Set()], new partition replica assignment [Map(a-0 -> Vector(2, 1), a-1 -> Vector(1, 2), b-0 -> Vector(2, 1))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1,3 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Broker failure callback for 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:20,000] INFO [Controller id=1] Starting topic deletion for topics b (kafka.controller.KafkaController)
    [2026-11-21 00:00:20,001] INFO [Topic Deletion Manager 1], Not retrying deletion of topic b at this time since it is marked ineligible for deletion (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:31,000] DEBUG [Controller id=1] Resigning (kafka.controller.KafkaController)
    [2026-11-21 00:00:31,001] INFO [Controller id=1] Resigned (kafka.controller.KafkaController)
"""
STATE_CHANGE_1 = """
    [2026-11-21 00:00:02,001] TRACE [Controller id=1 epoch=1] Changed partition a-0 state from NonExistentPartition to NewPartition with assigned replicas 2,1 (state.change.logger)
    [2026-11-21 00:00:02,001] TRACE [Controller id=1 epoch=1] Changed partition a-1 state from NonExistentPartition to NewPartition with assigned replicas 1,2 (state.change.logger)
    [2026-11-21 00:00:02,001] TRACE [Controller id=1 epoch=1] Changed partition b-0 state from NonExistentPartition to NewPartition with assigned replicas 2,1 (state.change.logger)
    [2026-11-21 00:00:02,002] TRACE [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:02,002] TRACE [Controller id=1 epoch=1] Changed partition a-1 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:02,002] TRACE [Controller id=1 epoch=1] Changed partition b-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:10,001] TRACE [Controller id=1 epoch=1] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)
    [2026-11-21 00:00:10,002] TRACE [Controller id=1 epoch=1] Changed partition a-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=1, isr=List(1), zkVersion=1) (state.change.logger)
    [2026-11-21 00:00:10,003] TRACE [Controller id=1 epoch=1] Changed partition a-1 from NonExistentPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=1, isr=List(1), zkVersion=1) (state.change.logger)
"""
CONTROLLER_3 = """
    [2026-11-21 00:00:29,000] INFO [Controller id=3] 3 successfully elected as the controller. Epoch incremented to 2 and epoch zk version is now 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:29,010] INFO [Controller id=3] Currently active brokers in the cluster: Set(3) (kafka.controller.KafkaController)
"""
STATE_CHANGE_3 = """
    [2026-11-21 00:00:29,020] INFO [Controller id=3 epoch=2] Sending UpdateMetadata request to brokers HashSet(3) for 0 partitions (state.change.logger)
"""
LOGS = {
    (1, "controller"): CONTROLLER_1,
    (1, "state-change"): STATE_CHANGE_1,
    (3, "controller"): CONTROLLER_3,
    (3, "state-change"): STATE_CHANGE_3,
}


@pytest.fixture(scope="session")
def story() -> dict[str, Any]:
    """All tables by short name. A move that no matrix allows is among the lines (a-1 at 00:00:10.003)."""
    return built(records_in(LOGS), *ORDER)
