"""Lines of two controllers about topics that are created, deleted, moved."""

ELECTED = "[2026-11-21 00:00:0{at},000] INFO [Controller id={id}] {id} successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now {epoch} (kafka.controller.KafkaController)"


CONTROLLER_1 = f"""
    {ELECTED.format(at=0, id=1, epoch=1)}
    [2026-11-21 00:00:00,100] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:00,200] INFO [Controller id=1] Current list of topics in the cluster: Set(old, gone) (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,000] INFO [Controller id=1] New topics: [Set(a)], deleted topics: [Set()], new partition replica assignment [Map(a-0 -> Vector(3), a-1 -> Vector(1, 2))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] New topics: [Set()], deleted topics: [Set(old)], new partition replica assignment [Map()] (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Controller id=1] Starting topic deletion for topics gone (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,100] WARN [Controller id=1] Ignoring request to delete non-existing topics none (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,200] INFO [Controller id=1] Removing a since delete topic is disabled (kafka.controller.KafkaController)
"""


STATE_CHANGE_1 = """
    [2026-11-21 00:00:01,020] TRACE [Controller id=1 epoch=1] Changed partition a-1 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:01,050] TRACE [Broker id=1] Completed LeaderAndIsr request correlationId 1 from controller 1 epoch 1 for the become-leader transition for partition a-1 (state.change.logger)
"""


CONTROLLER_2 = f"""
    {ELECTED.format(at=5, id=2, epoch=2)}
    [2026-11-21 00:00:05,200] INFO [Controller id=2] Current list of topics in the cluster: Set(a, new) (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,000] INFO [Controller id=2] Starting topic deletion for topics new (kafka.controller.KafkaController)
    [2026-11-21 00:00:06,010] INFO [Topic Deletion Manager 2], Deletion of topic new (re)started (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:06,030] DEBUG [Topic Deletion Manager 2], Deletion successfully completed for replicas [Topic=new,Partition=0,Replica=2] (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:06,040] INFO [Topic Deletion Manager 2], Deletion of topic new successfully completed (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:06,040] INFO [Topic Deletion Manager 2], Not retrying deletion of topic new at this time since it is marked ineligible for deletion (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:06,060] INFO [Controller id=2] New topics: [Set(new)], deleted topics: [Set()], new partition replica assignment [Map(new-0 -> Vector(2))] (kafka.controller.KafkaController)
"""


LIVES = {
    (1, "controller"): CONTROLLER_1,
    (1, "state-change"): STATE_CHANGE_1,
    (2, "controller"): CONTROLLER_2,
}


BROKERS = """
    [2026-11-21 00:00:00,100] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 2, 3) (kafka.controller.KafkaController)
    [2026-11-21 00:00:00,150] INFO [Controller id=1] Newly added brokers: , deleted brokers: 3, bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)
"""


ASKED = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] Starting topic deletion for topics t (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,001] INFO [Topic Deletion Manager 1] Deletion of topic t (re)started (kafka.controller.TopicDeletionManager)
"""


DEAD = """
    [2026-11-21 00:00:01,010] DEBUG [Topic Deletion Manager 1] Dead Replicas ([Topic=t,Partition=0,Replica={broker}]) found for topic t (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:01,010] INFO [Topic Deletion Manager 1] Halted deletion of topics t due to offline replicas (kafka.controller.TopicDeletionManager)
"""


ANSWERED = """
    [2026-11-21 00:00:01,010] DEBUG [Controller id=1] Delete topic callback invoked for StopReplicaResponse(responses={{t-0=KAFKA_STORAGE_ERROR}}, error=NONE) (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,011] DEBUG [Topic Deletion Manager 1], Deletion failed for replicas [Topic=t,Partition=0,Replica=2]. Halting deletion for topics Set(t) (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:01,012] INFO [Topic Deletion Manager 1], Halted deletion of topics t (kafka.controller.TopicDeletionManager)
"""


FAILED = """
    [2026-11-21 00:00:01,008] DEBUG [Topic Deletion Manager 1] Deletion successfully completed for replicas [Topic=t,Partition=1,Replica=2] (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:01,011] DEBUG [Topic Deletion Manager 1] Deletion failed for replicas [Topic=t,Partition=0,Replica=2],[Topic=t,Partition=1,Replica=2]. Halting deletion for topics Set(t) (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:01,012] INFO [Topic Deletion Manager 1] Halted deletion of topics t due to replica deletion failure (kafka.controller.TopicDeletionManager)
"""


MOVING = "    [2026-11-21 00:00:01,010] INFO [Topic Deletion Manager 1] Halted deletion of topics t due to topic reassignment in progress (kafka.controller.TopicDeletionManager)\n"


BARE = "    [2026-11-21 00:00:01,010] INFO [Topic Deletion Manager 1], Halted deletion of topics t (kafka.controller.TopicDeletionManager)\n"
