"""Lines that begin and end the work of controllers, and what KRaft says of it."""

from pipeline.silver import controller_work
from schemas.silver.controller_work import SPEC
from tests.frames import frame
from tests.rows import declared_rows, records_in, same_rows

ZOOKEEPER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] Newly added brokers: 2, deleted brokers: 3, bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] Updated broker epochs cache: HashMap(1 -> 24) (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Controller id=1] Initialized broker epochs cache: HashMap(1 -> 24) (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] DEBUG [Controller id=1] Delete topics listener fired for topics a,b.c to be deleted (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] DEBUG [Controller id=1] Delete topics listener fired for topics  to be deleted (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] INFO [Controller id=1] Starting replica leader election (PREFERRED) for partitions a-0,b.c-1 triggered by ZkTriggered (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] TRACE [Controller id=1] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)
    [2026-11-21 00:00:08,000] TRACE [Controller 1]: checking need to trigger partition rebalance (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller id=1] Shutting down broker 3 (kafka.controller.KafkaController)
"""  # fmt: skip
KRAFT = """
    [2026-11-21 00:00:21,000] ERROR [QuorumController id=101] Exceptionally slow controller event writeNoOpRecord took 3502 ms. (org.apache.kafka.controller.EventPerformanceMonitor)
    [2026-11-21 00:01:22,000] INFO [QuorumController id=101] In the last 60000 ms period, 332 controller events were completed, which took an average of 16.25 ms each. The slowest event was createTopics(174525633), which took 515.65 ms. (org.apache.kafka.controller.EventPerformanceMonitor)
    [2026-11-21 00:01:23,000] INFO [QuorumController id=101] registerBroker: event failed with DuplicateBrokerRegistrationException in 254 microseconds. Exception message: Another broker is registered with that broker id. (org.apache.kafka.controller.QuorumController)
"""  # fmt: skip
EXPECTED = """
    logged_at | part  | kind               | subject    | subject_count | occasion              | asked_by
    1         | opens | BrokerChange       | [2 3]      | 2             | arrival and departure |
    2         | ends  | BrokerChange       |            |               |                       |
    4         | opens | TopicDeletion      | [a b.c]    | 2             |                       |
    5         | opens | TopicDeletion      | []         | 0             | nothing               |
    6         | joins | ReplicaLeaderElection | [a-0 b.c-1] | 2        |                       | ZkTriggered
    7         | joins | AutoPreferredReplicaLeaderElection | |           |                       | timer
    8         | joins | AutoPreferredReplicaLeaderElection | |           |                       |
    9         | opens | ControlledShutdown | [3]        | 1             |                       |
"""  # fmt: skip
SAID = """
    logged_at | kind         | began_at | took_ms | event_name      | event_count | average_ms | exception_class
    21        | slow_event   | 17.498   | 3502    | writeNoOpRecord |             |            |
    82        | period       | 22       | 515.65  | createTopics    | 332         | 16.25      |
    83        | failed_event | 82.999   | 0.254   | registerBroker  |             |            | DuplicateBrokerRegistrationException
"""  # fmt: skip


def test_what_begins_and_ends_a_piece_of_work() -> None:
    rows = declared_rows(controller_work.build(records_in({(1, "controller"): ZOOKEEPER})), SPEC)
    columns = ("logged_at", "part", "kind", "subject", "subject_count", "occasion", "asked_by")
    same_rows(rows, frame(SPEC, EXPECTED), *columns)


def test_what_kraft_says_of_its_events() -> None:
    rows = declared_rows(controller_work.build(records_in({(101, "controller"): KRAFT})), SPEC)
    columns = ("logged_at", "kind", "began_at", "took_ms", "event_name", "event_count", "average_ms")
    same_rows(rows, frame(SPEC, SAID), *columns, "exception_class")
