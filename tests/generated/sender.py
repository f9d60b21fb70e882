"""What the controllers of a simulated cluster of Kafka 2.2 hold, what they write, and what they send to brokers."""

from collections.abc import Collection, Iterable, Sequence

from tests.generated.becoming import FOLLOWS, IGNORED, LEADERLESS, LEADS, NO_REPLICA, STILL_LEADS, ToBroker
from tests.generated.held import NO_LEADER, Held
from tests.generated.output import CONTROLLER, Step, times_of
from tests.generated.plan import BEGIN, Plan
from tests.generated.requests import Requests
from tests.generated.steps import Moves, Say
from tests.generated.truth import Truth

NEW, ONLINE, OFFLINE, NONE = "NewPartition", "OnlinePartition", "OfflinePartition", "NonExistentPartition"
IMBALANCE_LIMIT = 0.1  # leader.imbalance.per.broker.percentage, Kafka's default
# Where it is not the name.
LOGGERS = {"ControllerEventThread": "ControllerEventManager$ControllerEventThread"}
OFFLINE_STRATEGY = "OfflinePartitionLeaderElectionStrategy"


class Sender:
    """held: by partition what ZooKeeper has of it. hosted: partitions by broker. live, stopping: as the controller in
    office knows. known: leader epochs in the memory of each broker. free: when the next step may begin, ms."""

    folder = "broker"

    def __init__(self, plan: Plan) -> None:
        self.plan, self.truth, self.steps = plan, Truth(), list[Step]()
        self.held: dict[str, Held] = {}
        self.hosted: dict[int, dict[str, None]] = {one: {} for one in range(1, plan.brokers + 1)}
        self.up, self.live, self.stopping = set[int](), set[int](), set[int]()
        self.known: dict[int, dict[str, int]] = {}
        self.leading: dict[int, set[str]] = {}
        self.offline: dict[str, None] = {}
        self.offline_replicas: dict[int, dict[str, str]] = {}
        self.correlation: dict[int, int] = {}
        self.broker_epochs: dict[int, int] = {}
        self.died: dict[int, int] = {}
        self.controller = self.term = self.next_check = self.sessions = 0
        self.free = BEGIN

    @property
    def nodes(self) -> list[int]:
        """Those that have logs."""
        return list(self.hosted)

    def put(self, step: Step) -> None:
        self.steps.append(step)
        self.free = step.end

    def say(self, node: int, *lines: tuple[str, str, str, str]) -> None:
        if lines:
            self.put(Say(self.free, node, lines))

    def told(self, *texts: str, by: str = "") -> None:
        """Lines of the controller in office, each with its level."""
        lines = []
        for text in texts:
            level, _, rest = text.partition(" ")
            logger = by or "KafkaController"
            head = f"[{by} controllerId={self.controller}] " if by else f"[Controller id={self.controller}] "
            lines.append((CONTROLLER, level, head + rest, f"kafka.controller.{LOGGERS.get(logger, logger)}"))
        self.say(self.controller, *lines)

    def moved(
        self,
        partitions: Sequence[tuple[str, str, str, Held | None]] = (),
        replicas: Sequence[tuple[str, int, str, str]] = (),
        failed: Sequence[tuple[str, str, str]] = (),
        strategy: str = OFFLINE_STRATEGY,
    ) -> None:
        at = self.free
        self.put(Moves(at, self.controller, self.term, partitions, replicas, failed, strategy))
        for _, before, to, _ in partitions:
            self.truth.moves["partition", before, to] += 1
        for _, _, before, to in replicas:
            self.truth.moves["replica", before, to] += 1
        for (name, _, to, held), when in zip(partitions, times_of(at, partitions), strict=True):
            if to == ONLINE and held:
                self.truth.leader(name, held.leader, when)
                self.truth.led_again(name, when)

    def request(
        self,
        names: Collection[str],
        recipients: Collection[int] | None = None,
        *,
        is_new: bool = False,
    ) -> None:
        """LeaderAndIsr of these to their replicas among the recipients (all), UpdateMetadata to all."""
        to = self.live if recipients is None else recipients
        wanted: dict[int, list[tuple[str, Held, int]]] = {}
        for name in names:
            held = self.held[name]
            for broker in held.replicas:
                if broker in to:
                    wanted.setdefault(broker, []).append((name, held, self.made_of(broker, name, held)))
        self.send(self.to_brokers(wanted, is_new=is_new), [(name, self.held[name]) for name in names])

    def request_of(
        self, name: str, held: Held, cached: Held, recipients: Iterable[int], *, is_new: bool = False
    ) -> None:
        """LeaderAndIsr of one partition, UpdateMetadata of what the controller has of it in its cache."""
        wanted = {one: [(name, held, self.made_of(one, name, held))] for one in recipients}
        self.send(self.to_brokers(wanted, is_new=is_new), [(name, cached)])

    def to_brokers(
        self, wanted: dict[int, list[tuple[str, Held, int]]], *, is_new: bool
    ) -> dict[int, ToBroker]:
        return {
            broker: ToBroker(self.next_id(broker), items, is_new, broker in self.stopping)
            for broker, items in sorted(wanted.items())
        }

    def send(
        self,
        leaders: dict[int, ToBroker] | None = None,
        items: Sequence[tuple[str, Held]] = (),
        to: Iterable[int] | None = None,
        stops: dict[int, Sequence[tuple[int, str]]] | None = None,
        *,
        is_deleting: bool = False,
    ) -> None:
        metadata = {broker: self.next_id(broker) for broker in (sorted(self.live) if to is None else to)}
        down = frozenset(self.hosted) - self.live | self.stopping
        at, who = self.free, (self.controller, self.term)
        self.put(
            Requests(at, *who, leaders or {}, metadata, items, frozenset(down), stops or {}, is_deleting)
        )

    def stop_replicas(self, broker: int, names: Collection[str], *, is_deleting: bool = False) -> None:
        self.send(
            to=(), stops={broker: [(self.next_id(broker), name) for name in names]}, is_deleting=is_deleting
        )

    def next_id(self, broker: int) -> int:
        found = self.correlation.get(broker, 0)
        self.correlation[broker] = found + 1
        return found

    def made_of(self, broker: int, name: str, held: Held) -> int:
        """What a broker makes of LeaderAndIsr of one partition (ReplicaManager.becomeLeaderOrFollower)."""
        known = self.known[broker]
        if known.get(name, -1) >= held.epoch:
            return IGNORED
        if broker not in held.replicas:
            return NO_REPLICA
        known[name] = held.epoch
        if held.leader == broker:
            was_leader = name in self.leading[broker]
            self.leading[broker].add(name)
            return STILL_LEADS if was_leader else LEADS
        self.leading[broker].discard(name)
        return LEADERLESS if held.leader == NO_LEADER else FOLLOWS

    def forget(self, broker: int, name: str) -> None:
        """A broker stops a replica."""
        self.known[broker].pop(name, None)
        self.leading[broker].discard(name)

    def down(self) -> list[int]:
        return [one for one in self.hosted if one not in self.live]
