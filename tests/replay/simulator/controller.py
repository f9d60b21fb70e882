"""KafkaController in ZooKeeper mode: what it does on each event, from its election to its end."""

from collections.abc import Callable

from tests.replay.simulator.cluster import Cluster, Partition
from tests.replay.simulator.deletion import Deletion
from tests.replay.simulator.moves import OFFLINE, PREFERRED, REASSIGN, SHUTDOWN, Machines
from tests.replay.simulator.record import Recorder, listed
from tests.replay.simulator.wording import partition_name


class Controller:
    """One term. Made by its election; everything it holds in memory is seeded then, without a line."""

    def __init__(self, cluster: Cluster, recorder: Recorder, node: int) -> None:
        cluster.epoch += 1
        self.cluster, self.recorder, self.node = cluster, recorder, node
        self.machines = Machines(cluster, recorder, node)
        self.version = recorder.version
        self._say("controller_elected", broker_id=node, epoch_zk_version=cluster.epoch + 1)
        self._say("controller_epoch_incremented")
        self._say("controller_live_brokers", live_broker_ids=f"Set({listed(sorted(cluster.alive))})")
        self._seed()
        self.deletion = Deletion(self.machines)
        self._start_machines()
        self._say("controller_ready")
        self._drive_again(lambda partition: bool(partition.target))
        self.deletion.resume()

    def _say(self, event: str, **values: object) -> None:
        self.recorder.say(self.node, self.machines.term, event, **values)

    def _seed(self) -> None:
        """initializeReplicaState and initializePartitionState."""
        alive = self.cluster.alive
        for topic, number, partition in self.cluster.partitions():
            for replica in partition.replicas:
                state = "OnlineReplica" if replica in alive else "ReplicaDeletionIneligible"
                self.machines.state[topic, number, replica] = state
            known = "OnlinePartition" if partition.leader in alive else "OfflinePartition"
            self.machines.state[topic, number, None] = "NewPartition" if partition.leader is None else known

    def _start_machines(self) -> None:
        for broker in self.cluster.brokers:
            if broker in self.cluster.alive:
                self.machines.replicas(self.cluster.on_broker(broker), "OnlineReplica")
        for broker in self.cluster.brokers:
            if broker not in self.cluster.alive and self.version >= (2, 3):  # KAFKA-3143
                self.machines.replicas(self.cluster.on_broker(broker), "OfflineReplica")
        self._elect_waiting()

    def _elect_waiting(self) -> None:
        """triggerOnlinePartitionStateChange."""
        waiting = [
            (topic, number)
            for topic, number, _ in self.cluster.partitions()
            if topic not in self.cluster.queued
            and self.machines.state.get((topic, number, None)) in ("OfflinePartition", "NewPartition")
        ]
        self.machines.partitions(waiting, "OnlinePartition", OFFLINE)

    def create(self, topic: str, partitions: dict[int, Partition]) -> None:
        self._say(
            "topic_change",
            new_topics=f"Set({topic})",
            deleted_topics="Set()",
            replica_assignment=f"Map({self._assignment(topic, partitions)})",
        )
        self.cluster.topics[topic] = partitions
        numbers = [(topic, number) for number in partitions]
        replicas = self.cluster.replicas_of(topic)
        self.machines.partitions(numbers, "NewPartition")
        self.machines.replicas(replicas, "NewReplica")
        self.machines.partitions(numbers, "OnlinePartition", OFFLINE)
        self.machines.replicas(replicas, "OnlineReplica")

    def _assignment(self, topic: str, partitions: dict[int, Partition]) -> str:
        form = "ReplicaAssignment(replicas={}, addingReplicas=, removingReplicas=)"
        form = form if self.version >= (2, 4) else "List({})"
        return ", ".join(
            f"{partition_name(self.version, topic, number)} -> {form.format(listed(partition.replicas))}"
            for number, partition in partitions.items()
        )

    def delete(self, topic: str) -> None:
        self._say("topic_deletion_requested", topics=topic)
        self.cluster.queued.add(topic)
        self.deletion.resume()

    def broker_died(self, broker: int) -> None:
        """onBrokerFailure; the broker is no longer alive."""
        self._brokers_changed(dead=str(broker))
        self._say("broker_failure", broker_ids=broker)
        self.machines.shutting_down.discard(broker)
        queued = self.cluster.queued
        leaderless = [
            (topic, number)
            for topic, number, partition in self.cluster.partitions()
            if partition.leader == broker and topic not in queued
        ]
        self.machines.partitions(leaderless, "OfflinePartition")
        self._elect_waiting()
        lost = self.cluster.on_broker(broker)
        self.machines.replicas([one for one in lost if one[0] not in queued], "OfflineReplica")
        self.deletion.failed(lost)

    def broker_returned(self, broker: int) -> None:
        """onBrokerStartup; its replicas catch up with their leaders meanwhile."""
        self._brokers_changed(new=str(broker))
        self._say("broker_startup", broker_ids=broker)
        self.machines.replicas(self.cluster.on_broker(broker), "OnlineReplica")
        self._elect_waiting()
        self._drive_again(lambda partition: broker in partition.target)
        self.deletion.returned(broker)

    def _brokers_changed(self, new: str = "", dead: str = "") -> None:
        live = listed(sorted(self.cluster.alive))
        self._say(
            "broker_change",
            new_broker_ids=new,
            dead_broker_ids=dead,
            bounced_broker_ids="",
            live_broker_ids=live,
        )

    def broker_shuts_down(self, broker: int) -> None:
        """doControlledShutdown: what it leads moves away, what it follows goes offline."""
        self._say("controlled_shutdown", broker_id=broker)
        self.machines.shutting_down.add(broker)
        held = [
            (topic, number, self.cluster.topics[topic][number])
            for topic, number, _ in self.cluster.on_broker(broker)
            if topic not in self.cluster.queued
        ]
        held = [one for one in held if len(one[2].replicas) > 1 and one[2].leader is not None]
        led = [(topic, number) for topic, number, partition in held if partition.leader == broker]
        followed = [
            (topic, number, broker) for topic, number, partition in held if partition.leader != broker
        ]
        self.machines.partitions(led, "OnlinePartition", SHUTDOWN)
        self.machines.replicas(followed, "OfflineReplica")

    def prefer(self) -> None:
        """Leads of live preferred leaders are given back, as the automatic rebalance does."""
        wanted = [
            (topic, number)
            for topic, number, partition in self.cluster.partitions()
            if topic not in self.cluster.queued
            and self.machines.state.get((topic, number, None)) == "OnlinePartition"
            and partition.leader != partition.replicas[0]
            and not partition.target
        ]
        names = listed(partition_name(self.version, *one) for one in wanted)
        told = {"topic_partitions": names, "election_type": "PREFERRED", "election_trigger": "AutoTriggered"}
        self._say("preferred_election_started", **told)
        self.machines.partitions(wanted, "OnlinePartition", PREFERRED)

    def reassign(self, topic: str, number: int, target: list[int]) -> None:
        partition = self.cluster.topics[topic][number]
        told = {"topic": topic, "partition": number, "new_replicas": listed(target)}
        self._say("reassignment_started", **told)
        partition.adding = [replica for replica in target if replica not in partition.replicas]
        partition.target = target
        partition.replicas = [*target, *(one for one in partition.replicas if one not in target)]
        partition.epoch += 1
        self.machines.replicas([(topic, number, replica) for replica in partition.adding], "NewReplica")

    def _drive_again(self, is_meant: Callable[[Partition], bool]) -> None:
        """onPartitionReassignment once more; from 2.4 its first phase repeats whole (item 21)."""
        for topic, number, partition in self.cluster.partitions():
            if partition.target and is_meant(partition) and self.version >= (2, 4):
                adding = [(topic, number, replica) for replica in partition.adding]
                self.machines.replicas(adding, "NewReplica")

    def reassigned(self, topic: str, number: int) -> None:
        """All target replicas are in the ISR: phase B."""
        partition = self.cluster.topics[topic][number]
        target, adding = partition.target, partition.adding
        online = target if self.version < (2, 4) else adding  # item 16
        self.machines.replicas([(topic, number, replica) for replica in online], "OnlineReplica")
        partition.isr = [*partition.isr, *(one for one in target if one not in partition.isr)]
        if partition.leader not in target:
            self.machines.partitions([(topic, number)], "OnlinePartition", REASSIGN)
        old = [(topic, number, replica) for replica in partition.replicas if replica not in target]
        for state in (
            "OfflineReplica",
            "ReplicaDeletionStarted",
            "ReplicaDeletionSuccessful",
            "NonExistentReplica",
        ):
            self.machines.replicas(old, state)  # item 15
        partition.replicas, partition.target, partition.adding = target, [], []

    def resigned(self) -> None:
        self._say("controller_resigned")
