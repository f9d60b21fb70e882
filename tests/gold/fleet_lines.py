"""What controllers and brokers of Kafka 3.9 in ZooKeeper mode print at the levels as shipped, as the lab's logs have it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

KAFKA_CONTROLLER = "kafka.controller.KafkaController"
DELETION_MANAGER = "kafka.controller.TopicDeletionManager"
EVENT_THREAD = "kafka.controller.ControllerEventManager$ControllerEventThread"
SEND_THREAD = "kafka.controller.RequestSendThread"
CHANNELS = "kafka.controller.ControllerChannelManager"
REPLICA_MACHINE = "kafka.controller.ZkReplicaStateMachine"
PARTITION_MACHINE = "kafka.controller.ZkPartitionStateMachine"
STATE_CHANGE = "state.change.logger"
BEGIN = datetime(2026, 11, 16, tzinfo=UTC)
NO_LEADER = -1
FAILED_ELECTION = """kafka.common.StateChangeFailedException: Failed to elect leader for partition {} under strategy OfflinePartitionLeaderElectionStrategy(false)
at kafka.controller.ZkPartitionStateMachine.$anonfun$doElectLeaderForPartitions$7(PartitionStateMachine.scala:433)
at scala.collection.IterableOnceOps.foreach(IterableOnce.scala:619)
at kafka.controller.ZkPartitionStateMachine.doElectLeaderForPartitions(PartitionStateMachine.scala:430)
at org.apache.kafka.server.util.ShutdownableThread.run(ShutdownableThread.java:136)"""
MOVED = "org.apache.kafka.common.errors.ControllerMovedException: Controller moved to another broker. Aborting controller startup procedure"


@dataclass
class Partition:
    topic: str
    number: int
    replicas: list[int]
    leader: int
    isr: list[int]
    leader_epoch: int = 0
    version: int = 0
    recovery: str = "RECOVERED"

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.number}"

    def led_by(self, leader: int, isr: list[int]) -> None:
        self.leader, self.isr = leader, isr
        self.leader_epoch += 1
        self.version += 1

    def state(self) -> str:
        members = ", ".join(f"BrokerState(brokerId={one}, brokerEpoch=-1)" for one in self.isr)
        return (
            f"LeaderAndIsr(leader={self.leader}, leaderEpoch={self.leader_epoch}, isrWithBrokerEpoch=List({members}), "
            f"leaderRecoveryState={self.recovery}, partitionEpoch={self.version})"
        )

    def short(self, controller_epoch: int) -> str:
        return (
            f"(Leader:{self.leader},ISR:{joined(self.isr)},LeaderRecoveryState:{self.recovery},"
            f"LeaderEpoch:{self.leader_epoch},ZkVersion:{self.version},ControllerEpoch:{controller_epoch})"
        )

    def replica(self, broker: int) -> str:
        return f"[Topic={self.topic},Partition={self.number},Replica={broker}]"


def joined(items: Iterable[object], between: str = ",") -> str:
    return between.join(str(one) for one in items)


def assignment(replicas: list[int], adding: Iterable[int] = (), removing: Iterable[int] = ()) -> str:
    return (
        f"ReplicaAssignment(replicas={joined(replicas)}, addingReplicas={joined(adding)}, "
        f"removingReplicas={joined(removing)})"
    )


@dataclass
class Printed:
    """Lines of all nodes; `now` and `first`, the time before which lines are not kept, are ms since BEGIN."""

    rng: Random
    now: int = 0
    first: int = 0
    lines: dict[tuple[int, str], list[tuple[int, str]]] = field(default_factory=dict)

    def texts(self, lost: tuple[int, int, int]) -> dict[tuple[int, str], str]:
        """By node and log; lost: (node, from, until), whose lines in both logs are left out."""
        found = {}
        for (node, log), lines in self.lines.items():
            node_lost, since, until = lost
            kept = [
                text for at, text in lines
                if at >= self.first and not (node == node_lost and since <= at < until)
            ]  # fmt: skip
            if kept:
                found[node, log] = "\n".join(kept)
        return found

    def write(self, node: int, log: str, text: str, level: str, logger: str) -> None:
        self.now += self.rng.choice((0, 0, 0, 1, 1, 2))
        at = BEGIN + timedelta(milliseconds=self.now)
        head, *rest = text.split("\n")
        stamp = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}"
        record = "\n".join([f"[{stamp}] {level} {head} ({logger})", *rest])
        self.lines.setdefault((node, log), []).append((self.now, record))

    def own(self, node: int, text: str, level: str = "INFO") -> None:
        self.write(node, "controller", f"[Controller id={node}] {text}", level, KAFKA_CONTROLLER)

    def thread(self, node: int, *words: str) -> None:
        for word in words:
            self.write(
                node,
                "controller",
                f"[ControllerEventThread controllerId={node}] {word}",
                "INFO",
                EVENT_THREAD,
            )

    def sender(self, node: int, text: str, level: str = "INFO") -> None:
        self.write(node, "controller", f"[RequestSendThread controllerId={node}] {text}", level, SEND_THREAD)

    def deletion(self, node: int, text: str, level: str = "INFO") -> None:
        self.write(node, "controller", f"[Topic Deletion Manager {node}] {text}", level, DELETION_MANAGER)

    def machine(self, node: int, logger: str, text: str, level: str = "INFO") -> None:
        name = logger.rpartition(".Zk")[2]
        self.write(node, "controller", f"[{name} controllerId={node}] {text}", level, logger)

    def change(self, node: int, epoch: int, text: str, level: str = "INFO") -> None:
        self.write(node, "state-change", f"[Controller id={node} epoch={epoch}] {text}", level, STATE_CHANGE)

    def broker(self, node: int, text: str, level: str = "INFO") -> None:
        self.write(node, "state-change", f"[Broker id={node}] {text}", level, STATE_CHANGE)

    def connecting(self, node: int, broker: int) -> None:
        text = (
            f"[Channel manager on controller {node}]: Controller {node} trying to connect to broker {broker}"
        )
        self.write(node, "controller", text, "DEBUG", CHANNELS)

    def connected(self, node: int, broker: int) -> None:
        self.sender(
            node,
            f"Controller {node} connected to kafka-{broker}:9092 (id: {broker} rack: null) for sending state change requests",
        )

    def no_connection(self, node: int, broker: int) -> None:
        self.sender(
            node,
            f"Controller {node}'s connection to broker kafka-{broker}:9092 (id: {broker} rack: null) was unsuccessful\n"
            f"java.io.IOException: Connection to kafka-{broker}:9092 (id: {broker} rack: null) failed.\n"
            "at org.apache.kafka.clients.NetworkClientUtils.awaitReady(NetworkClientUtils.java:71)",
            "WARN",
        )

    def stopped_sending(self, node: int, number: int) -> None:
        for _ in range(number):
            for word in ("Shutting down", "Stopped", "Shutdown completed"):
                self.sender(node, word)
