"""Steps of topics: collections are taken apart, whatever they are called."""

from pipeline.silver import topic_event
from schemas.silver.topic_event import SPEC
from tests.frames import frame
from tests.rows import records_in, same_rows

LINES = """
    [2026-11-21 00:00:00,500] INFO [Controller id=1] Current list of topics in the cluster: HashSet(old, b-1) (kafka.controller.KafkaController)
    [2026-11-21 00:00:00,600] INFO [Topic Deletion Manager 1] Initializing manager with initial deletions: Set(old), initial ineligible deletions: HashSet(old, b-1) (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:01,000] INFO [Controller id=1] New topics: [HashSet(a.x, b-1)], deleted topics: [Set()], new partition replica assignment [HashSet(TopicIdReplicaAssignment(a.x,Some(y2BUctXfTImtGX5MXmO8Yw),Map(a.x-0 -> ReplicaAssignment(replicas=3, addingReplicas=, removingReplicas=))), TopicIdReplicaAssignment(b-1,None,Map()))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] Starting topic deletion for topics a.x,b-1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,500] INFO [Topic Deletion Manager 1] Deletion of topic a.x (re)started (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:03,000] INFO [Topic Deletion Manager 1], Not retrying deletion of topic a.x at this time since it is marked ineligible for deletion (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,000] INFO [Topic Deletion Manager 1] Deletion of topic b-1 successfully completed (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,500] INFO [Topic Deletion Manager 1] Halted deletion of topics c,d due to offline replicas (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,600] INFO [Topic Deletion Manager 1] Halted deletion of topics e due to replica deletion failure (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,700] INFO [Topic Deletion Manager 1] Halted deletion of topics f due to topic reassignment in progress (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,750] INFO [Topic Deletion Manager 1], Halted deletion of topics m (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,800] INFO [Controller id=1] New topics: [Set()], deleted topics: [HashSet(g, h)], new partition replica assignment [Map()] (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] INFO [Controller id=1] List of topics to be deleted:  (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] INFO [Controller id=1] Some replicas [Topic=c,Partition=0,Replica=2],[Topic=d,Partition=0,Replica=2] for topics scheduled for deletion c,d are on the newly restarted brokers 2. Signaling restart of topic deletion for these topics (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] WARN [Controller id=1] Ignoring request to delete non-existing topics i (kafka.controller.KafkaController)
    [2026-11-21 00:00:08,000] INFO [Controller id=1] Removing j since delete topic is disabled (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller id=1] Removing /admin/delete_topics/k.l since delete topic is disabled (kafka.controller.KafkaController)
"""
KRAFT = """
    [2026-11-21 00:00:01,000] INFO [QuorumController id=1] CreateTopics result(s): CreatableTopic(name='a.x', numPartitions=-1, replicationFactor=-1, assignments=[CreatableReplicaAssignment(partitionIndex=0, brokerIds=[3, 1])], configs=[CreatableTopicConfig(name='min.insync.replicas', value='2')]): SUCCESS, CreatableTopic(name='b', numPartitions=2, replicationFactor=4, assignments=[], configs=[]): INVALID_REPLICATION_FACTOR (Unable to replicate the partition 4 time(s): only 3 broker(s) are registered.) (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:02,000] INFO [QuorumController id=1] Replayed TopicRecord for topic a.x with topic ID rpoB8l-RSUGFUbPRMSPpzA. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:03,000] INFO [QuorumController id=1] Validate-only CreateTopics result(s): CreatableTopic(name='c', numPartitions=2, replicationFactor=1, assignments=[], configs=[]): TOPIC_ALREADY_EXISTS (Topic 'c' already exists.) (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:04,000] INFO [QuorumController id=1] DeleteTopics result(s): {id: rpoB8l-RSUGFUbPRMSPpzA, name: a.x, result: SUCCESS}, {id: AAAAAl-RSUGFUbPRMSPpzA, name: null, result: UNKNOWN_TOPIC_ID} (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:05,000] INFO [QuorumController id=1] Replayed RemoveTopicRecord for topic a.x with ID rpoB8l-RSUGFUbPRMSPpzA. (org.apache.kafka.controller.ReplicationControlManager)
"""
COMPARED = ("logged_at", "topic", "step", "topic_id", "reason")


def test_steps() -> None:
    expected = frame(
        SPEC,
        """
        logged_at | topic | step               | topic_id               | reason
        0.5       | old   | listed             |                        |
        0.5       | b-1   | listed             |                        |
        0.6       | old   | deletion_listed    |                        |
        1         | a.x   | created            | y2BUctXfTImtGX5MXmO8Yw |
        1         | b-1   | created            |                        |
        2         | a.x   | deletion_requested |                        |
        2         | b-1   | deletion_requested |                        |
        2.5       | a.x   | deletion_started   |                        |
        3         | a.x   | deletion_blocked   |                        |
        4         | b-1   | deletion_completed |                        |
        4.5       | c     | deletion_blocked   |                        | offline replicas
        4.5       | d     | deletion_blocked   |                        | offline replicas
        4.6       | e     | deletion_blocked   |                        | replica deletion failure
        4.7       | f     | deletion_deferred  |                        | topic reassignment in progress
        4.75      | m     | deletion_halted    |                        |
        4.8       | g     | removed            |                        |
        4.8       | h     | removed            |                        |
        6         | c     | deletion_resumed   |                        | 2
        6         | d     | deletion_resumed   |                        | 2
        7         | i     | deletion_ignored   |                        |
        8         | j     | deletion_disabled  |                        |
        9         | k.l   | deletion_disabled  |                        |
        """,
    )
    same_rows(topic_event.build(records_in({(1, "controller"): LINES})), expected, *COMPARED)


def test_steps_in_kraft() -> None:
    expected = frame(
        SPEC,
        """
        logged_at | topic                  | step                | topic_id               | reason
        1         | a.x                    | create_accepted     |                        |
        1         | b                      | create_refused      |                        | INVALID_REPLICATION_FACTOR
        2         | a.x                    | topic_record        | rpoB8l-RSUGFUbPRMSPpzA |
        3         | c                      | create_validated    |                        | TOPIC_ALREADY_EXISTS
        4         | a.x                    | delete_accepted     | rpoB8l-RSUGFUbPRMSPpzA |
        4         | AAAAAl-RSUGFUbPRMSPpzA | delete_refused      | AAAAAl-RSUGFUbPRMSPpzA | UNKNOWN_TOPIC_ID
        5         | a.x                    | remove_topic_record | rpoB8l-RSUGFUbPRMSPpzA |
        """,
    )
    same_rows(topic_event.build(records_in({(1, "controller"): KRAFT})), expected, *COMPARED)
