"""When brokers were out of service: decisions of the controller in its term, none of those that were superseded."""

from schemas.silver.broker_absence import SPEC
from tests.chain import built
from tests.frames import frame
from tests.rows import records_in, same_rows

FIRST = """
    [2026-11-21 00:00:01,000] INFO [QuorumController id=101] Becoming the active controller at epoch 3, next write offset 9. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:02,000] INFO [QuorumController id=101] Fencing broker 1 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:03,000] INFO [QuorumController id=101] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 8. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:04,000] WARN [QuorumController id=101] Directories [tHtBXU6uvjksqDSFk0yRxw] in broker 2 marked offline, remaining directories: [_U-jhuZXYGOr8y7a9SU0Kg] (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:20,000] INFO [QuorumController id=101] Fencing broker 2 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
"""
SECOND = """
    [2026-11-21 00:00:10,000] INFO [QuorumController id=102] Becoming the active controller at epoch 5, next write offset 19. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:11,000] INFO [QuorumController id=102] Unfenced broker 1 has requested and been granted a controlled shutdown. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:12,000] INFO [QuorumController id=102] The request from broker 1 to shut down has been granted since the lowest active offset 30 is now greater than the broker's controlled shutdown offset 29. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:31,000] INFO [QuorumController id=102] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 38. (org.apache.kafka.controller.BrokerHeartbeatManager)
    [2026-11-21 00:00:40,000] INFO [QuorumController id=102] Fencing broker 1 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
"""
EXPECTED = """
    broker_id | out_at | silent_from_at | back_at | is_fence | is_partial
    1         | 2      | -9             | 3       | true     | false
    2         | 4      |                |         | true     | true
    1         | 11     |                | 31      | false    | false
    1         | 12     |                | 31      | true     | false
    1         | 40     | 30             |         | true     | false
"""
TOLD = ("broker_id", "out_at", "silent_from_at", "back_at", "is_fence", "is_partial")


def test_decisions_of_the_controller_in_its_term() -> None:
    """Broker 2 was never fenced: the controller that says so had a successor for ten seconds. Of the 9 s that a broker
    may be silent the first controller had seen only one: the rest was before it came."""
    records = records_in({(101, "controller"): FIRST, (102, "controller"): SECOND})
    found = built(records, "broker_absence")["broker_absence"]
    same_rows(found, frame(SPEC, EXPECTED), *TOLD)
