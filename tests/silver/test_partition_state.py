"""What each wording of a KRaft node says of a partition; what says nothing gives no row."""

from pipeline.silver import partition_state
from schemas.silver.partition_state import SPEC
from tests.frames import frame
from tests.rows import declared_rows, records_in, same_rows

ID = "7Cw1erFWQ7qgT9ljkrsvVQ"
LISR = "LeaderAndIsrPartitionState(topicName='a-1', partitionIndex=0, controllerEpoch=-1, leader=1, leaderEpoch=3, isr=[1, 2], partitionEpoch=5, replicas=[2, 1], addingReplicas=[], removingReplicas=[], isNew=false, leaderRecoveryState=0)"
REGISTRATION = "PartitionRegistration(replicas=[2, 1], directories=[A, B], isr=[1], removingReplicas=[], addingReplicas=[2], elr=[], lastKnownElr=[], leader=1, leaderRecoveryState=RECOVERED, leaderEpoch=3, partitionEpoch=6)"
CHANGE = f"PartitionChangeRecord(partitionId=0, topicId={ID}, isr=[2], leader=-2, replicas=[2], removingReplicas=[], addingReplicas=[], leaderRecoveryState=-1)"
BROKER = f"""
    [2026-11-21 00:00:01,000] INFO [Broker id=1] Creating new partition a-1-0 with topic id {ID}. (state.change.logger)
    [2026-11-21 00:00:02,000] INFO [Broker id=1] Leader a-1-0 with topic id Some({ID}) starts at leader epoch 3 from offset 0 with partition epoch 4, high watermark 0, ISR [2,1], adding replicas [] and removing replicas [] . Previous leader None and previous leader epoch was -1. (state.change.logger)
    [2026-11-21 00:00:03,000] INFO [Broker id=1] Follower a-1-0 starts at leader epoch 4 from offset 0 with partition epoch 7 and high watermark 0. Current leader is -1. Previous leader Some(-1) and previous leader epoch was 4. (state.change.logger)
    [2026-11-21 00:00:04,000] INFO [Broker id=1] Skipped the become-follower state change for a-1-0 with topic id Some({ID}) and partition state {LISR} since it is already a follower with leader epoch 3. (state.change.logger)
    [2026-11-21 00:00:05,000] INFO [Broker id=1] Skipped the become-follower state change for a-1-0 with topic id Some({ID}) and partition state {LISR} since the follower is already at a newer partition epoch 9. (state.change.logger)
    [2026-11-21 00:00:06,000] INFO [Broker id=1] Skipped the become-leader state change for a-1-0 with topic id Some({ID}), partition registration {REGISTRATION} and isNew=false since it is already the leader with leader epoch 3. Current high watermark 0, ISR [1], adding replicas [2] and removing replicas []. (state.change.logger)
    [2026-11-21 00:00:07,000] INFO [Broker id=1] Leader a-1-0 starts at leader epoch 3 from offset 0 with high watermark 0 ISR [2,1] addingReplicas [] removingReplicas []. Previous leader epoch was -1. (state.change.logger)
"""
CONTROLLER = f"""
    [2026-11-21 00:00:11,000] INFO [QuorumController id=9] Replayed PartitionRecord for new partition a-1-0 with topic ID {ID} and {REGISTRATION}. (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:12,000] INFO [QuorumController id=9] Replayed partition assignment change {CHANGE} for topic a-1 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:13,000] INFO [QuorumController id=9] UNCLEAN partition change for a-1-0 with topic ID {ID}: replicas: [1, 2] -> [1], isr: [2] -> [1], removingReplicas: [2] -> [], leader: 2 -> 1, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 4 -> 5, partitionEpoch: 5 -> 6 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:14,000] INFO [QuorumController id=9] Replayed RemoveTopicRecord for topic a-1 with ID {ID}. (org.apache.kafka.controller.ReplicationControlManager)
"""
EXPECTED = """
    logged_at | teller     | step    | topic_id | partition | partition_epoch | leader | leader_epoch | isr   | replicas | adding_replicas | removing_replicas
    1         | broker     | named   | x        | 0         |                 |        |              |       |          |                 |
    2         | broker     | stated  | x        | 0         | 4               | 1      | 3            | [2 1] |          | []              | []
    3         | broker     | stated  |          | 0         | 7               | -1     | 4            |       |          |                 |
    4         | broker     | stated  | x        | 0         | 5               | 1      | 3            | [1 2] | [2 1]    | []              | []
    6         | broker     | stated  | x        | 0         | 6               | 1      | 3            | [1]   | [2 1]    | [2]             | []
    11        | controller | created | x        | 0         | 6               | 1      | 3            | [1]   | [2 1]    | [2]             | []
    12        | controller | changed | x        | 0         |                 |        |              | [2]   | [2]      | []              | []
    13        | controller | changed | x        | 0         | 6               | 1      | 5            | [1]   | [1]      |                 | []
    14        | controller | removed | x        |           |                 |        |              |       |          |                 |
"""


def test_every_wording() -> None:
    records = records_in({(1, "state-change"): BROKER, (9, "controller"): CONTROLLER})
    columns = [one.strip() for one in EXPECTED.strip().splitlines()[0].split("|")]
    same_rows(
        declared_rows(partition_state.build(records), SPEC),
        frame(SPEC, EXPECTED.replace("| x ", f"| {ID} ")),
        *columns,
    )
