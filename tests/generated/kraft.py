"""A cluster of Kafka 3.9 in KRaft mode, step by step: brokers, and a quorum of three controllers beside them."""

from collections.abc import Callable, Iterable

from tests.generated.held import NO_LEADER, Held, first_of
from tests.generated.kraft_topics import Topics, changed
from tests.generated.output import SERVER, Step
from tests.generated.plan import CHECK_SECONDS, SECOND, UNCLEAN_TOPIC, Event
from tests.generated.quorum import CONTROLLERS, HEARTBEATS, REPLICATION, isr_text
from tests.generated.steps import Say

SESSION = 9 * SECOND  # broker.session.timeout.ms, Kafka's default
RAFT = 2 * SECOND  # until the others see that the active controller is gone


class KRaft(Topics):
    """The whole cluster."""

    def steps_of(self, event: Event) -> list[Step]:
        """What comes of an event, and of the checks of leaders before it; in the order of time."""
        while self.controller and self.next_check < event.at:
            self.free = max(self.free, self.next_check)
            self.balance()
            self.next_check += CHECK_SECONDS * SECOND
        self.free = max(self.free, event.at)
        HANDLERS[event.kind](self, event)
        steps, self.steps = self.steps, []
        return steps

    def start(self, broker: int) -> None:
        if not self.controller:
            self.start_controllers(CONTROLLERS)
            self.elect_controller()
        self.say(
            broker,
            SERVER,
            ("INFO", f"[BrokerServer id={broker}] Transition from SHUTDOWN to STARTING", "BrokerServer"),
            ("INFO", f"[BrokerServer id={broker}] Starting broker", "BrokerServer"),
        )
        self.free += 900
        self.register(broker)
        self.up.add(broker)
        self.known[broker] = {}
        if self.hosted[broker]:
            self.apply(self.hosted[broker], self.free, only=broker)
        self.free += 200
        self.unfence(broker)
        self.put(
            Say(
                self.free,
                broker,
                [
                    (SERVER, "INFO", "Kafka version: 3.9.2", "org.apache.kafka.common.utils.AppInfoParser"),
                    (
                        SERVER,
                        "INFO",
                        f"[KafkaRaftServer nodeId={broker}] Kafka Server started",
                        "kafka.server.KafkaRaftServer",
                    ),
                ],
            )
        )

    def unfence(self, broker: int) -> None:
        """handleBrokerUnfenced: what has no leader may get this one."""
        self.active.add(broker)
        epoch = self.registered[broker][1]
        self.told(
            (
                "INFO",
                f"The request from broker {broker} to unfence has been granted because it has caught up with the offset of its "
                f"register broker record {epoch}.",
                HEARTBEATS,
            )
        )
        at, found, unclean = self.free, [], []
        for name in self.hosted[broker]:
            held = self.held[name]
            if held.leader == NO_LEADER and broker in held.isr:
                self.held[name] = changed(held, broker, held.isr)
                found.append(name)
            elif held.leader == NO_LEADER and name.startswith(UNCLEAN_TOPIC):
                self.held[name] = changed(held, broker, [broker])
                found.append(name)
                unclean.append((name, held))
                self.truth.uncleanly(name, broker, at)
        for name, _ in unclean:
            topic, _, partition = name.rpartition("-")
            text = f"Setting new leader for topicId {self.topics[topic]}, partition {partition} to {broker} using an unclean election"
            self.put(
                Say(
                    self.free,
                    self.controller,
                    [("controller", "INFO", text, "org.apache.kafka.controller.PartitionChangeBuilder")],
                )
            )
        if found:
            self.told(self.changes_text(len(found), "handleBrokerUnfenced"))
        self.registration_changed(broker, -1, 0)
        if unclean:
            self.replayed(*(self.unclean_text(name, held) for name, held in unclean))
        if found:
            self.apply(found, at)

    def unclean_text(self, name: str, before: Held) -> str:
        now, topic_id = self.held[name], self.topics[name.rpartition("-")[0]]
        return (
            f"UNCLEAN partition change for {name} with topic ID {topic_id}: {isr_text(before.isr, now.isr)}, leader: "
            f"{before.leader} -> {now.leader}, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: {before.epoch} -> "
            f"{now.epoch}, partitionEpoch: {before.version} -> {now.version}"
        )

    def leave(self, broker: int, event: str, at: int) -> list[str]:
        """A broker is active no more: it leaves the ISRs, and what it leads goes to others."""
        self.active.discard(broker)
        found = []
        for name in self.hosted[broker]:
            held = self.held[name]
            if broker not in held.isr:
                continue
            isr = [one for one in held.isr if one != broker] or list(held.isr)
            leader = first_of(held, self.active) if held.leader == broker else held.leader
            if leader == held.leader and tuple(isr) == held.isr:
                continue
            self.held[name] = changed(held, leader, isr)
            found.append(name)
            if leader == NO_LEADER:
                self.truth.died(name, self.died.get(broker, at), at)
        self.told(self.changes_text(len(found), event))
        return found

    def kill(self, broker: int) -> None:
        if broker in CONTROLLERS:
            self.lose_controller(broker)
            return
        self.up.discard(broker)
        self.died[broker] = self.free
        self.truth.departures.append((self.free, "killed", broker, False))
        self.free += SESSION
        at = self.free
        self.told(("INFO", f"Fencing broker {broker} because its session has timed out.", REPLICATION))
        found = self.leave(broker, "handleBrokerFenced", at)
        self.registration_changed(broker, 1, 0)
        self.apply(found, at)

    def stop(self, broker: int) -> None:
        """A controlled shutdown."""
        if broker in CONTROLLERS:
            self.say(
                broker, SERVER, ("INFO", f"[ControllerServer id={broker}] shutting down", "ControllerServer")
            )
            self.lose_controller(broker, "stopped")
            return
        self.died.pop(broker, None)
        self.say(broker, SERVER, ("INFO", f"[BrokerServer id={broker}] shutting down", "BrokerServer"))
        at = self.free
        self.told(
            (
                "INFO",
                f"Unfenced broker {broker} has requested and been granted a controlled shutdown.",
                HEARTBEATS,
            )
        )
        found = self.leave(broker, f"enterControlledShutdown[{broker}]", at)
        self.registration_changed(broker, 0, 1)
        self.apply(found, at)
        self.free += 500
        text = (
            f"The request from broker {broker} to shut down has been granted since the lowest active offset {self.offset} is now "
            f"greater than the broker's controlled shutdown offset {self.offset}."
        )
        self.told(("INFO", text, HEARTBEATS))
        self.registration_changed(broker, 1, 0)
        self.up.discard(broker)
        self.truth.departures.append((self.free, "stopped", broker, False))
        self.say(broker, SERVER, ("INFO", f"[BrokerServer id={broker}] shut down completed", "BrokerServer"))

    def lose_controller(self, node: int, how: str = "killed") -> None:
        self.standing.discard(node)
        self.truth.departures.append((self.free, how, node, True))
        self.controller = 0
        self.free += RAFT
        self.elect_controller()

    def start_all(self, brokers: Iterable[int]) -> None:
        """Nodes that are down start, and replicas catch up."""
        self.start_controllers(set(CONTROLLERS) - self.standing)
        for broker in sorted(brokers):
            self.start(broker)
            self.free += 2 * SECOND
            lagging = [
                one
                for one in self.hosted[broker]
                if broker not in self.held[one].isr and self.held[one].leader > 0
            ]
            self.change_isr(lagging, broker)
            self.free += SECOND

    def victim(self, event: Event) -> int:
        return sorted(self.up)[event.draw % len(self.up)]


def nothing(_cluster: KRaft, _event: Event) -> None:
    """Checks alone that are due by then."""


def second_of(cluster: KRaft, event: Event, place: int) -> int:
    return cluster.held[f"{event.name}-0"].replicas[place]


HANDLERS: dict[str, Callable[[KRaft, Event], None]] = {
    "hour": nothing,
    "end": nothing,
    "reassign": lambda cluster, event: cluster.reassign(event.draw),
    "start": lambda cluster, event: cluster.start(event.draw),
    "create": lambda cluster, event: cluster.create(event.name, event.draw),
    "delete": lambda cluster, event: cluster.delete(event.name),
    "stop": lambda cluster, event: cluster.stop(cluster.victim(event)),
    "kill": lambda cluster, event: cluster.kill(cluster.victim(event)),
    "controller_stop": lambda cluster, event: cluster.stop(cluster.controller),
    "controller_kill": lambda cluster, event: cluster.kill(cluster.controller),
    "kill_second": lambda cluster, event: cluster.kill(second_of(cluster, event, 1)),
    "kill_first": lambda cluster, event: cluster.kill(second_of(cluster, event, 0)),
    "start_first_killed": lambda cluster, event: cluster.start_all(
        {second_of(cluster, event, 1)} - cluster.up
    ),
    "start_all": lambda cluster, event: cluster.start_all(set(cluster.hosted) - cluster.up),
}
