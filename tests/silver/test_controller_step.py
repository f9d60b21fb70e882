"""Steps of controllers: ZooKeeper and KRaft, in office and out of it."""

from pipeline.silver import controller_step
from schemas.silver.controller_step import SPEC
from tests.frames import frame
from tests.rows import records_in, same_rows

LINES = """
    [2026-11-21 00:00:01,000] INFO 2 successfully elected as leader (kafka.server.ZookeeperLeaderElector)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 7 and epoch zk version is now 8 (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Controller id=1] Deleting log dir event notifications (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [ReplicaStateMachine controllerId=1] Initializing replica state (kafka.controller.ZkReplicaStateMachine)
    [2026-11-21 00:00:05,000] DEBUG [Controller id=1] Broker 3 has been elected as the controller, so stopping the election process. (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] INFO [Controller id=1] Controller moved to another broker when processing TopicChange. (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] INFO [ControllerEventThread controllerId=1] Shutdown completed (kafka.controller.ControllerEventManager$ControllerEventThread)
    [2026-11-21 00:00:08,000] INFO [RequestSendThread controllerId=1] Shutdown completed (kafka.controller.RequestSendThread)
    [2026-11-21 00:00:09,000] INFO [SessionExpirationListener on 0], ZK expired; shut down all controller components and try to re-elect (kafka.controller.KafkaController$SessionExpirationListener)
    [2026-11-21 00:00:10,000] INFO [SessionExpirationListener on 0], ZK expired, but the current controller id 0 is the same as this broker id, skip re-elect (kafka.controller.KafkaController$SessionExpirationListener)
"""
KRAFT = """
    [2026-11-21 00:00:21,000] INFO [QuorumController id=101] Becoming the active controller at epoch 4, next write offset 520. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:22,000] WARN [QuorumController id=101] Performing controller activation. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:23,000] INFO [QuorumController id=102] In the new epoch 5, the leader is (none). (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:24,000] INFO [QuorumController id=102] In the new epoch 6, the leader is 103. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:25,000] WARN [QuorumController id=101] Renouncing the leadership due to a metadata log event. We were the leader at epoch 4, but in the new epoch 5, the leader is (none). Reverting to last stable offset 518. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:26,000] INFO [QuorumController id=101] maybeFenceStaleBroker: event failed with NotLeaderException (treated as NotControllerException) at epoch 4 in 75569 microseconds. Renouncing leadership and reverting to the last committed offset 581. Exception message: Flush failed (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:27,000] INFO [QuorumController id=101] registerBroker: event failed with DuplicateBrokerRegistrationException in 254 microseconds. Exception message: Another broker is registered with that broker id. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:28,000] WARN [Controller 1] writeNoOpRecord: failed with unknown server exception RuntimeException at epoch 3 in 200 us.  Renouncing leadership and reverting to the last committed offset 22. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:29,000] INFO [QuorumController id=101] Replayed a ZkMigrationStateRecord changing the migration state from PRE_MIGRATION to MIGRATION. (org.apache.kafka.controller.FeatureControlManager)
"""
EXPECTED = """
    logged_at | area      | step                           | controller_id | controller_epoch | active_controller_id | detail | exception_class
    1         | election  | elected                        | 2             |                  |                      |        |
    2         | election  | elected                        | 1             | 7                |                      | 8      |
    3         | failover  | deleting_log_dir_notifications | 1             |                  |                      |        |
    4         | failover  | replica_machine_initializing   | 1             |                  |                      |        |
    5         | election  | lost                           | 1             |                  | 3                    |        |
    6         | error     | fenced                         | 1             |                  |                      | TopicChange |
    7         | thread    | thread_shut_down               | 1             |                  |                      |        |
    9         | end       | session_expired                | 0             |                  |                      |        |
    10        | end       | session_expired_in_office      | 0             |                  |                      |        |
    21        | election  | elected                        | 101           | 4                |                      |        |
    22        | failover  | activating                     | 101           |                  |                      |        |
    23        | election  | observed                       | 102           | 5                |                      | (none) |
    24        | election  | observed                       | 102           | 6                | 103                  | 103    |
    25        | end       | renounced                      | 101           | 4                |                      | (none) |
    26        | end       | renounced                      | 101           | 4                |                      | maybeFenceStaleBroker | NotLeaderException
    27        | error     | event_failed                   | 101           |                  |                      | registerBroker | DuplicateBrokerRegistrationException
    28        | end       | renounced                      | 1             | 3                |                      | writeNoOpRecord | RuntimeException
    29        | migration | migration_state                | 101           |                  |                      | MIGRATION |
"""  # fmt: skip


def test_steps() -> None:
    records = records_in({(1, "controller"): LINES, (101, "controller"): KRAFT})
    found = controller_step.build(records)
    same_rows(
        found, frame(SPEC, EXPECTED),
        "logged_at", "area", "step", "controller_id", "controller_epoch", "active_controller_id", "detail",
        "exception_class",
    )  # fmt: skip
