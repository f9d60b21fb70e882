"""A cluster of Kafka 2.2 in ZooKeeper mode, step by step: what its brokers and controllers do at each event."""

from collections.abc import Callable, Collection, Iterable, Sequence

from tests.generated.administration import Administration
from tests.generated.held import ids, spaced, with_isr
from tests.generated.output import CONTROLLER, SERVER, Step
from tests.generated.plan import (
    CHECK_SECONDS,
    LAG_SECONDS,
    SECOND,
    SESSION_SECONDS,
    Event,
)

LONGEST_EVENT = 60 * SECOND
KAFKA_SERVER = "kafka.server.KafkaServer"


class ZooKeeper(Administration):
    """All brokers. up: processes that run; a controller's `live` follows when it notices."""

    def steps_of(self, event: Event) -> list[Step]:
        """What comes of an event, and of the checks of leaders before it; in the order of time. An event that would keep
        a check waiting begins after it: a controller that is late was frozen, or busy."""
        self.steps = []
        self.run_checks(event.at + LONGEST_EVENT)
        self.free = max(self.free, event.at)
        HANDLERS[event.kind](self, event)
        steps, self.steps = self.steps, []
        return steps

    def run_checks(self, until: int) -> None:
        """The checks of leaders that are due by then."""
        while self.next_check and self.next_check <= until:
            self.free = max(self.free, self.next_check)
            self.check()
            self.next_check = self.free + CHECK_SECONDS * SECOND

    def start(self, broker: int) -> None:
        self.say(broker, (SERVER, "INFO", "starting", KAFKA_SERVER))
        self.free += 400
        self.sessions += 7
        self.broker_epochs[broker] = self.sessions
        self.up.add(broker)
        self.known[broker], self.leading[broker] = {}, set()
        self.say(
            broker,
            (CONTROLLER, "INFO", f"[ControllerEventThread controllerId={broker}] Starting", EVENT_THREAD),
            (SERVER, "INFO", registered(broker, self.sessions), "kafka.zk.KafkaZkClient"),
        )
        if self.controller:
            self.say(broker, follows(broker, self.controller))
            self.join(broker)
        else:
            self.take_office(broker)
        self.say(
            broker,
            (SERVER, "INFO", "Kafka version: 2.2.2", "org.apache.kafka.common.utils.AppInfoParser"),
            (SERVER, "INFO", f"[KafkaServer id={broker}] started", KAFKA_SERVER),
        )

    def start_all(self, brokers: Iterable[int]) -> None:
        """Brokers that are down start, and their replicas catch up."""
        for broker in sorted(brokers):
            self.run_checks(self.free + 5 * SECOND)
            self.start(broker)
            self.free += 3 * SECOND
            self.change_isr(lambda held, broker=broker: (*held.isr, broker), self.lags_in(broker))
            self.free += SECOND

    def kill(self, broker: int) -> None:
        """Killed: it says nothing; its session expires."""
        self.up.discard(broker)
        self.died[broker] = self.free
        self.truth.departures.append((self.free, "killed", broker, broker == self.controller))
        self.free += SESSION_SECONDS * SECOND
        if broker != self.controller:
            self.lose(broker)
            return
        self.controller = 0
        self.elect_controller()
        lagged_at = self.free + LAG_SECONDS * SECOND
        self.run_checks(lagged_at)
        self.free = max(self.free, lagged_at)
        held_back = [
            name
            for name in self.hosted[broker]
            if broker in self.held[name].isr and self.held[name].leader in self.up
        ]
        self.change_isr(lambda held: [one for one in held.isr if one != broker], held_back)

    def stop(self, broker: int) -> None:
        """A controlled shutdown."""
        self.say(
            broker,
            (SERVER, "INFO", f"[KafkaServer id={broker}] shutting down", KAFKA_SERVER),
            (SERVER, "INFO", f"[KafkaServer id={broker}] Starting controlled shutdown", KAFKA_SERVER),
        )
        self.move_leaders_away(broker)
        self.say(
            broker, (SERVER, "INFO", f"[KafkaServer id={broker}] Controlled shutdown succeeded", KAFKA_SERVER)
        )
        self.free += 700
        self.up.discard(broker)
        self.died[broker] = self.free
        self.truth.departures.append((self.free, "stopped", broker, broker == self.controller))
        if broker == self.controller:
            self.resign()
            self.elect_controller()
        else:
            self.lose(broker)
        self.say(broker, (SERVER, "INFO", f"[KafkaServer id={broker}] shut down completed", KAFKA_SERVER))

    def elect_controller(self) -> None:
        """The broker that is first at the znode is elected, the others see it."""
        elected = sorted(self.up)[(self.term * 7 + self.plan.seed) % len(self.up)]
        for broker in sorted(self.up - {elected}):
            self.say(broker, follows(broker, elected))
        self.take_office(elected)

    def lags_in(self, broker: int) -> list[str]:
        """Partitions of a broker whose leader has it not in sync."""
        return [
            name
            for name in self.hosted[broker]
            if broker not in self.held[name].isr and self.held[name].leader in self.up
        ]

    def change_isr(self, changed: Callable[..., Sequence[int]], names: Collection[str]) -> None:
        """Leaders change their ISR and tell the controller, one broker after another."""
        by_leader: dict[int, list[str]] = {}
        for name in names:
            by_leader.setdefault(self.held[name].leader, []).append(name)
        for leader, led in sorted(by_leader.items()):
            lines = []
            for name in led:
                before = self.held[name]
                held = self.held[name] = with_isr(before, changed(before))
                how = "Expanding" if len(held.isr) > len(before.isr) else "Shrinking"
                text = (
                    f"[Partition {name} broker={leader}] {how} ISR from {ids(before.isr)} to {ids(held.isr)}"
                )
                lines.append((SERVER, "INFO", text, "kafka.cluster.Partition"))
            self.say(leader, *lines)
            self.free += 200
            told = f"Vector({spaced(tuple(sorted(self.live)))}) for TopicPartitions: ArrayBuffer({', '.join(led)})"
            self.told(f"DEBUG Sending MetadataRequest to Brokers: {told}")
            self.request(led, recipients=())

    def victim(self, event: Event) -> int:
        """A broker that is not the controller."""
        others = sorted(self.up - {self.controller})
        return others[event.draw % len(others)]


def killed_replica(cluster: ZooKeeper, event: Event, place: int) -> None:
    """The first, or the second replica of partition 0 of a topic, where it is not the controller; all but it go on."""
    cluster.kill(cluster.held[f"{event.name}-0"].replicas[place])


def nothing(_cluster: ZooKeeper, _event: Event) -> None:
    """Checks alone that are due by then."""


def restarted(cluster: ZooKeeper, event: Event) -> None:
    cluster.start_all(set(range(1, cluster.plan.brokers + 1)) - cluster.up)


def registered(broker: int, epoch: int) -> str:
    return (
        f"Registered broker {broker} at path /brokers/ids/{broker} with addresses: ArrayBuffer(EndPoint(kafka-{broker}.example,"
        f"9092,ListenerName(PLAINTEXT),PLAINTEXT)), czxid (broker epoch): {epoch}"
    )


def follows(broker: int, controller: int) -> tuple[str, str, str, str]:
    text = f"[Controller id={broker}] Broker {controller} has been elected as the controller, so stopping the election process."
    return CONTROLLER, "DEBUG", text, "kafka.controller.KafkaController"


EVENT_THREAD = "kafka.controller.ControllerEventManager$ControllerEventThread"
HANDLERS: dict[str, Callable[[ZooKeeper, Event], None]] = {
    "hour": nothing,
    "end": nothing,
    "start": lambda cluster, event: cluster.start(event.draw),
    "create": lambda cluster, event: cluster.create(event.name, event.draw),
    "stop": lambda cluster, event: cluster.stop(cluster.victim(event)),
    "kill": lambda cluster, event: cluster.kill(cluster.victim(event)),
    "controller_stop": lambda cluster, event: cluster.stop(cluster.controller),
    "controller_kill": lambda cluster, event: cluster.kill(cluster.controller),
    "kill_second": lambda cluster, event: killed_replica(cluster, event, 1),
    "kill_first": lambda cluster, event: killed_replica(cluster, event, 0),
    "start_first_killed": lambda cluster, event: cluster.start_all(
        {cluster.held[f"{event.name}-0"].replicas[1]} - cluster.up
    ),
    "start_all": restarted,
    "delete": lambda cluster, event: cluster.delete(event.name),
    "reassign": lambda cluster, event: cluster.reassign(event.draw),
}
