"""What ZooKeeper holds, and who is alive: all that outlives a controller."""

from collections.abc import Iterator
from dataclasses import dataclass, field

NO_LEADER = -1


@dataclass
class Partition:
    """`leader` is None until there was one; `adding`, `removing`: replicas of a reassignment under way."""

    replicas: list[int]
    leader: int | None = None
    epoch: int = 0
    isr: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    adding: list[int] = field(default_factory=list)


@dataclass
class Cluster:
    """`queued`: topics to be deleted; `life` counts how often the data were wiped."""

    brokers: tuple[int, ...]
    alive: set[int]
    topics: dict[str, dict[int, Partition]] = field(default_factory=dict)
    queued: set[str] = field(default_factory=set)
    life: int = 1
    epoch: int = 0
    created: int = 0

    def partitions(self) -> Iterator[tuple[str, int, Partition]]:
        for topic, partitions in self.topics.items():
            for number, partition in partitions.items():
                yield topic, number, partition

    def on_broker(self, broker: int) -> list[tuple[str, int, int]]:
        """The replicas that a broker has."""
        return [
            (topic, number, broker)
            for topic, number, partition in self.partitions()
            if broker in partition.replicas
        ]

    def replicas_of(self, topic: str) -> list[tuple[str, int, int]]:
        return [
            (topic, number, replica)
            for number, partition in self.topics[topic].items()
            for replica in partition.replicas
        ]

    def wipe(self) -> None:
        self.topics.clear()
        self.queued.clear()
        self.life += 1
        self.epoch = 0
