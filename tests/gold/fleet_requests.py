"""The state of a cluster in ZooKeeper mode, and what a controller and brokers print of the requests that carry it."""

from collections import Counter
from collections.abc import Iterable
from random import Random

from tests.gold.fleet_lines import NO_LEADER, Partition, Printed, joined


class Requests(Printed):
    def __init__(self, seed: int, check_seconds: int, now: int) -> None:
        super().__init__(Random(seed), now=now)  # noqa: S311
        self.check_ms = check_seconds * 1000
        self.next_check: int | None = None
        self.partitions: dict[str, Partition] = {}
        self.topic_ids: dict[str, str] = {}
        self.unclean: set[str] = set()
        self.deleting: set[str] = set()
        self.live: set[int] = set()
        self.shutting: set[int] = set()
        self.broker_epochs: dict[int, int] = {}
        self.zxid = self.rng.randrange(20, 400)
        self.controller, self.epoch = 0, self.rng.randrange(40)
        self.sent: Counter[int] = Counter()
        self.known: dict[tuple[int, str], int] = {}

    def say(self, text: str, level: str = "INFO") -> None:
        self.own(self.controller, text, level)

    def changed(self, text: str, level: str = "INFO") -> None:
        self.change(self.controller, self.epoch, text, level)

    def of_broker(self, broker: int) -> list[Partition]:
        return [one for one in self.partitions.values() if broker in one.replicas]

    def acted_on(self, found: Iterable[Partition]) -> list[Partition]:
        return [one for one in found if one.topic not in self.deleting]

    def up(self) -> list[int]:
        return sorted(self.live)

    def send(self, some: list[Partition]) -> None:
        """LeaderAndIsr and UpdateMetadata requests, and what the brokers print of them."""
        to = {broker: [one for one in some if broker in one.replicas] for broker in self.up()}
        for broker, own in to.items():
            leads = sum(one.leader == broker for one in own)
            if own:
                follows = len(own) - leads
                self.changed(
                    f"Sending LeaderAndIsr request to broker {broker} with {leads} become-leader and {follows} become-follower partitions"
                )
        self.send_metadata(some)
        for broker, own in to.items():
            if own:
                self.received(broker, own)

    def send_metadata(self, some: list[Partition], to: Iterable[int] | None = None) -> None:
        brokers = self.up() if to is None else sorted(to)
        self.changed(
            f"Sending UpdateMetadata request to brokers HashSet({joined(brokers, ', ')}) for {len(some)} partitions"
        )
        for broker in brokers if some else ():
            self.sent[broker] += 1
            self.broker(
                broker,
                f"Add {len(some)} partitions and deleted 0 partitions from metadata cache in response to UpdateMetadata request sent by controller {self.controller} epoch {self.epoch} with correlation id {self.sent[broker]}",
            )

    def received(self, broker: int, own: list[Partition]) -> None:
        self.sent[broker] += 1
        number = self.sent[broker]
        request = f"correlationId {number} from controller {self.controller} for {len(own)} partitions"
        self.broker(broker, f"Handling LeaderAndIsr request {request}")
        for one in own:
            before = self.known.get((broker, one.name), -1)
            self.known[broker, one.name] = one.leader_epoch
            self.broker(broker, *self.answer(broker, one, before, number))
        self.broker(broker, f"Finished LeaderAndIsr request in {self.rng.randrange(1, 90)}ms {request}")

    def answer(self, broker: int, one: Partition, before: int, number: int) -> tuple[str, ...]:
        if one.leader == NO_LEADER:
            return (
                f"Received LeaderAndIsrRequest with correlation id {number} from controller {self.controller} epoch {self.epoch} for partition {one.name} (last update controller epoch {self.epoch}) but cannot become follower since the new leader -1 is unavailable.",
                "ERROR",
            )
        if before == one.leader_epoch:
            return (
                f"Ignoring LeaderAndIsr request from controller {self.controller} with correlation id {number} epoch {self.epoch} for partition {one.name} since its associated leader epoch {before} matches the current leader epoch",
            )
        if one.leader == broker:
            return (
                f"Leader {one.name} with topic id Some({self.topic_ids[one.topic]}) starts at leader epoch {one.leader_epoch} from offset 0 with partition epoch {one.version}, high watermark 0, ISR [{joined(one.isr)}], adding replicas [] and removing replicas [] . Previous leader {'None' if before < 0 else f'Some({one.isr[0]})'} and previous leader epoch was {before}.",
            )
        return (
            f"Follower {one.name} starts at leader epoch {one.leader_epoch} from offset 0 with partition epoch {one.version} and high watermark 0. Current leader is {one.leader}. Previous leader Some({one.leader}) and previous leader epoch was {one.leader_epoch}.",
        )

    def stop_replicas(self, broker: int, some: list[Partition], times: int = 2) -> None:
        for _ in range(times if some and broker in self.live else 0):
            self.changed(f"Sending StopReplica request for {len(some)} replicas to broker {broker}")
            self.sent[broker] += 1
            self.broker(
                broker,
                f"Handling StopReplica request correlationId {self.sent[broker]} from controller {self.controller} for {len(some)} partitions",
            )
