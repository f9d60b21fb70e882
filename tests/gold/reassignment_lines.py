"""Lines of controllers and brokers about reassignments, as Kafka writes them."""

from tests.gold.term_stories import Logs

CONTROLLER = "kafka.controller.KafkaController"


def at(minute: float, text: str, logger: str = CONTROLLER) -> str:
    clock = f"10:{int(minute):02}:{minute % 1 * 60:06.3f}".replace(".", ",")
    return f"[2026-11-21 {clock}] INFO {text} ({logger})\n"


def own(minute: float, text: str, node: int = 3) -> str:
    return at(minute, f"[Controller id={node}] {text}")


def elected(minute: float, node: int, epoch: int) -> str:
    said = f"{node} successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now"
    return own(minute, f"{said} {epoch + 1}", node)


def moving(minute: float, name: str, replicas: str = "3,2") -> str:
    return own(minute, f"Handling reassignment of partition {name} to new replicas {replicas}")


def lagging(minute: float, name: str, replicas: str = "3,2") -> str:
    return own(
        minute,
        f"0/{len(replicas.split(','))} replicas have caught up with the leader for partition {name} being reassigned. "
        f"Replica(s) {replicas} still need to catch up",
    )


def removed(minute: float, name: str) -> str:
    return own(minute, f"Removing partitions Set({name}) from the list of reassigned partitions in zookeeper")


def changed(minute: float, adding: str, removing: str) -> str:
    return at(
        minute,
        "[QuorumController id=102] Replayed partition assignment change PartitionChangeRecord(partitionId=9, "
        "topicId=Z1m6mbttRAeUeDg0Cqmckg, isr=null, leader=-2, replicas=[3, 2, 1], "
        f"removingReplicas=[{removing}], addingReplicas=[{adding}], leaderRecoveryState=-1) for topic events",
        "org.apache.kafka.controller.ReplicationControlManager",
    )


def in_sync(minute: float, before: str, after: str) -> str:
    """From 4.3: the ISR of replicas 3, 2 and 1 changes while they are being moved."""
    replicas = "replicaSet: [3, 2, 1] -> [3, 2, 1]"
    return at(
        minute,
        "[QuorumController id=102] AlterPartition request from node 1 for events-9 completed the ongoing partition "
        f"reassignment. isr: [{before}] -> [{after}], {replicas}, partitionEpoch: 3 -> 4, leaderEpoch: 0 -> 0",
        "org.apache.kafka.controller.ReplicationControlManager",
    )


def active(minute: float, epoch: int) -> str:
    said = f"[QuorumController id=102] Becoming the active controller at epoch {epoch}, next write offset 1."
    return at(minute, said, "org.apache.kafka.controller.QuorumController")


def there(minute: float, broker: int) -> str:
    said = f"[QuorumController id=102] The request from broker {broker} to unfence has been granted because it has caught up with the offset of its register broker record 7."
    return at(minute, said, "org.apache.kafka.controller.BrokerHeartbeatManager")


def fenced(minute: float, broker: int) -> str:
    said = f"[QuorumController id=102] Fencing broker {broker} because its session has timed out."
    return at(minute, said, "org.apache.kafka.controller.ReplicationControlManager")


def left(minute: float, broker: int, live: str) -> str:
    said = f"Newly added brokers: , deleted brokers: {broker}, bounced brokers: , all live brokers: {live}"
    return own(minute, said)


def state_change(minute: float, text: str) -> str:
    clock = f"10:{int(minute):02}:{minute % 1 * 60:06.3f}".replace(".", ",")
    return f"[2026-11-21 {clock}] TRACE [Controller id=3 epoch=1] {text} (state.change.logger)\n"


LED_BY_1 = (
    "Changed partition events-9 from NewPartition to OnlinePartition with state "
    "LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1), zkVersion=0)"
)
# From 1 and 2 to 1 and 3, then back while 2 lags: of 3, which is removed now, no record says that it is not added.
UNDONE = (
    active(0, 1)
    + changed(1, "3", "2").replace("[3, 2, 1]", "[1, 3, 2]")
    + changed(2, "x", "3").replace("[3, 2, 1]", "[1, 2, 3]").replace("[x]", "null")
    + in_sync(3, "1", "1, 2")
    + in_sync(5, "1, 2", "1, 2, 3")
    + in_sync(7, "2, 3", "1, 2, 3")
)
QUORUM = "org.apache.kafka.controller.QuorumController"
CHECK = "Checking need to trigger auto leader balancing"
BEGUN = elected(0, 3, 1) + moving(1, "events-9")
STUCK = BEGUN + lagging(31, "events-9")


def kept(minute: float, is_delete: str, broker: int = 3) -> str:
    said = (
        f"[Broker id={broker}] Ignoring StopReplica request (delete={is_delete}) from controller 1 with correlation id 12 "
        "epoch 1 for partition events-9 since its associated leader epoch 1 matches the current leader epoch"
    )
    return at(minute, said, "state.change.logger")


def assignment(replicas: str, adding: str = "", removing: str = "") -> str:
    return f"ReplicaAssignment(replicas={replicas}, addingReplicas={adding}, removingReplicas={removing})"


UNION = assignment("3,2,1", "3", "1")
UPDATING = f"Updating assignment of partition events-9 from {assignment('1,2')} to {UNION}"
UPDATED = UPDATING.replace("3,2,1", "4,2,1").replace("addingReplicas=3", "addingReplicas=4")
CALLED_OFF = (
    elected(0, 1, 1)
    + own(1, UPDATING, 1)
    + own(2, f"Updating assignment of partition events-9 from {UNION} to {assignment('1,2')}", 1)
    + own(
        2,
        "Leader 1 for partition events-9 being reassigned, is already in the new list of replicas 1,2 and is alive",
        1,
    )
    + own(2, f"Successfully updated assignment of partition events-9 to {assignment('1,2')}", 1)
)


def of_node(text: str, node: int = 3) -> Logs:
    return {(node, "controller"): text}
