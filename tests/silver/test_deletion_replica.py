"""Replicas of topics that are being deleted: one row for each that a line names."""

from pipeline.silver import deletion_replica
from schemas.silver.deletion_replica import SPEC
from tests.frames import frame
from tests.rows import records_in, same_rows

LINES = """
    [2026-11-21 00:00:01,000] DEBUG [Topic Deletion Manager 1], Deletion started for replicas [Topic=a.x,Partition=0,Replica=2],[Topic=a.x,Partition=1,Replica=1] (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:02,000] DEBUG [Topic Deletion Manager 1], Dead Replicas ([Topic=a.x,Partition=1,Replica=3]) found for topic a.x (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:03,000] DEBUG [Controller id=1] Delete topic callback invoked on StopReplica response received from broker 2: request error = NONE, partition errors = HashMap(a.x-0 -> KAFKA_STORAGE_ERROR, b-1 -> NONE) (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] DEBUG [Controller id=1] Delete topic callback invoked for StopReplicaResponse(responses={b-2=KAFKA_STORAGE_ERROR, b-1=NONE}, error=NONE) (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] DEBUG [Topic Deletion Manager 1] Deletion failed for replicas [Topic=a.x,Partition=0,Replica=2]. Halting deletion for topics HashSet(a.x) (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:06,000] DEBUG [Topic Deletion Manager 1] Retrying deletion of topics a.x since replicas [Topic=a.x,Partition=0,Replica=2] were not successfully deleted (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:07,000] INFO [Controller id=1] Some replicas [Topic=a.x,Partition=1,Replica=3] for topics scheduled for deletion a.x are on the newly restarted brokers 3. Signaling restart of topic deletion for these topics (kafka.controller.KafkaController)
    [2026-11-21 00:00:08,000] DEBUG [Topic Deletion Manager 1] Deletion successfully completed for replicas [Topic=a.x,Partition=1,Replica=3] (kafka.controller.TopicDeletionManager)
"""


def test_each_replica_that_a_line_names() -> None:
    expected = frame(
        SPEC,
        """
        logged_at | step      | topic | partition | replica_id | error
        1         | started   | a.x   | 0         | 2          |
        1         | started   | a.x   | 1         | 1          |
        2         | dead      | a.x   | 1         | 3          |
        3         | answered  | a.x   | 0         | 2          | KAFKA_STORAGE_ERROR
        4         | answered  | b     | 2         |            | KAFKA_STORAGE_ERROR
        5         | failed    | a.x   | 0         | 2          |
        6         | retried   | a.x   | 0         | 2          |
        7         | resumed   | a.x   | 1         | 3          |
        8         | completed | a.x   | 1         | 3          |
        """,
    )
    columns = ("logged_at", "step", "topic", "partition", "replica_id", "error")
    same_rows(deletion_replica.build(records_in({(1, "controller"): LINES})), expected, *columns)
