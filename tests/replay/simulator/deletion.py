"""TopicDeletionManager: which replicas are asked for which state, in the order of each release."""

from collections.abc import Iterable

from tests.replay.simulator.moves import Machines, Replica
from tests.replay.simulator.record import listed

STARTED, SUCCESSFUL, INELIGIBLE = (
    "ReplicaDeletionStarted",
    "ReplicaDeletionSuccessful",
    "ReplicaDeletionIneligible",
)


class Deletion:
    """The queue of one controller; the topics queued outlive it, what it knows of them does not."""

    def __init__(self, machines: Machines) -> None:
        self.machines, self.cluster = machines, machines.cluster
        self.version = machines.version
        self.begun: set[str] = set()
        self.ineligible = {topic for topic in self.cluster.queued if self._dead(topic)}

    def _dead(self, topic: str) -> list[Replica]:
        return [one for one in self.cluster.replicas_of(topic) if one[2] not in self.cluster.alive]

    def _held(self, topic: str, state: str) -> list[Replica]:
        states = self.machines.state
        return [one for one in self.cluster.replicas_of(topic) if states.get(one) == state]

    def resume(self) -> None:
        """resumeDeletions: up to 2.2 topic by topic, from 2.3 all that is to be retried first."""
        retried: list[str] = []
        started: list[str] = []
        for topic in sorted(self.cluster.queued):
            if len(self._held(topic, SUCCESSFUL)) == len(self.cluster.replicas_of(topic)):
                self._complete(topic)
                continue
            in_progress = bool(self._held(topic, STARTED))
            if not in_progress and self._held(topic, INELIGIBLE):
                retried.append(topic)
            if not in_progress and topic not in self.ineligible:
                started.append(topic)
            if self.version < (2, 3):
                self._act(retried, started)
                retried, started = [], []
        self._act(retried, started)

    def _act(self, retried: list[str], started: list[str]) -> None:
        for topic in retried:
            self.machines.replicas(self._held(topic, INELIGIBLE), "OfflineReplica")
        for topic in started:
            self._say("topic_deletion_started", topic=topic)
        if started:
            self._start(started)

    def _start(self, topics: list[str]) -> None:
        """onTopicDeletion; from 2.1 the partitions go first (KAFKA-6753, item 13)."""
        if self.version >= (2, 1):
            self._drop_partitions([topic for topic in topics if topic not in self.begun])
            self.begun.update(topics)
        dead = [one for topic in topics for one in self._dead(topic)]
        done = {one for topic in topics for one in self._held(topic, SUCCESSFUL)}
        live = [
            one
            for topic in topics
            for one in self.cluster.replicas_of(topic)
            if one not in dead and one not in done
        ]
        self.machines.replicas(dead, INELIGIBLE)  # items 10 and 22
        self.machines.replicas(live, "OfflineReplica")
        self.machines.replicas(live, STARTED)
        self.ineligible.update(topic for topic, _, _ in dead)

    def _drop_partitions(self, topics: Iterable[str]) -> None:
        partitions = [(topic, number) for topic in topics for number in self.cluster.topics[topic]]
        self.machines.partitions(partitions, "OfflinePartition")
        self.machines.partitions(partitions, "NonExistentPartition")

    def _complete(self, topic: str) -> None:
        self.machines.replicas(self._held(topic, SUCCESSFUL), "NonExistentReplica")
        if self.version < (2, 1):
            self._drop_partitions([topic])  # item 12
        self.cluster.queued.discard(topic)
        self.begun.discard(topic)
        del self.cluster.topics[topic]

    def failed(self, replicas: Iterable[Replica]) -> None:
        """failReplicaDeletion: asked of every replica, whatever its state (item 11)."""
        queued = [one for one in replicas if one[0] in self.cluster.queued]
        if queued:
            self.machines.replicas(queued, INELIGIBLE)
            self.ineligible.update(topic for topic, _, _ in queued)
            self.resume()

    def answered(self, broker: int, topic: str, *, is_error: bool) -> None:
        """The broker's answer to StopReplica."""
        waiting = [one for one in self._held(topic, STARTED) if one[2] == broker]
        if waiting and is_error:
            self.failed(waiting)
        elif waiting:
            self.machines.replicas(waiting, SUCCESSFUL)
            self.resume()

    def returned(self, broker: int) -> None:
        """A broker is back: what waited for it is tried again."""
        topics = {topic for topic, _, _ in self.cluster.on_broker(broker)} & self.cluster.queued
        if topics:
            self.ineligible -= topics
            self.resume()

    def waiting(self) -> list[tuple[int, str]]:
        """Brokers whose answer is due, with the topic."""
        return sorted(
            {(one[2], topic) for topic in self.cluster.queued for one in self._held(topic, STARTED)}
        )

    def _say(self, event: str, **values: object) -> None:
        node, term = self.machines.node, self.machines.term
        self.machines.recorder.say(node, term, event, topics=listed(sorted(self.cluster.queued)), **values)
