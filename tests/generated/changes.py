"""What a controller of Kafka 2.2 does as brokers come and go, topics are made and removed, and leaders are checked."""

from tests.generated.controller import Controller
from tests.generated.held import NO_LEADER, Held, first_of, ids, led_by, spaced, without
from tests.generated.plan import assignment
from tests.generated.sender import IMBALANCE_LIMIT, NEW, NONE, OFFLINE, ONLINE

PREFERRED = "PreferredReplicaPartitionLeaderElectionStrategy"


class Changes(Controller):
    """A controller in office and its events (KafkaController's processing of them)."""

    def join(self, broker: int) -> None:
        """onBrokerStartup."""
        before = sorted(self.live)
        self.live.add(broker)
        self.told(
            f"INFO Newly added brokers: {broker}, deleted brokers: , bounced brokers: , all live brokers: {ids(sorted(self.live))}"
        )
        self.connect([broker])
        self.told(f"INFO New broker startup callback for {broker}")
        self.send(to=before)
        self.send(to=[broker], items=list(self.held.items()))
        states = self.offline_replicas.pop(broker, {})
        hosted = list(self.hosted[broker])
        if hosted:
            replicas = [
                (name, broker, states.get(name, "OfflineReplica"), "OnlineReplica") for name in hosted
            ]
            self.moved(replicas=replicas)
            self.request(hosted, recipients=[broker])
        self.elect_offline()
        self.told(f"DEBUG Register BrokerModifications handler for Vector({broker})", self.epochs_line())

    def lose(self, broker: int) -> None:
        """onBrokerFailure."""
        noticed = self.free
        self.live.discard(broker)
        self.told(
            f"INFO Newly added brokers: , deleted brokers: {broker}, bounced brokers: , all live brokers: {ids(sorted(self.live))}"
        )
        self.told("INFO Shutting down", "INFO Shutdown completed", "INFO Stopped", by="RequestSendThread")
        self.told(f"INFO Broker failure callback for {broker}")
        if broker in self.stopping:
            self.stopping.discard(broker)
            self.told(f"INFO Removed {broker} from list of shutting down brokers.")
        led = [
            name
            for name in self.hosted[broker]
            if self.held[name].leader == broker and name not in self.offline
        ]
        if led:
            for name in led:
                self.offline[name] = None
                self.truth.died(name, self.died[broker], noticed)
            self.moved([(name, ONLINE, OFFLINE, None) for name in led])
        self.elect_offline()
        self.take_offline(broker, list(self.hosted[broker]))
        self.told(f"DEBUG Unregister BrokerModifications handler for Vector({broker})", self.epochs_line())

    def take_offline(self, broker: int, names: list[str]) -> None:
        """Replicas move to OfflineReplica: they leave the ISR, and the others are told."""
        states = self.offline_replicas.setdefault(broker, {})
        moves = [(name, broker, states.get(name, "OnlineReplica"), "OfflineReplica") for name in names]
        for name in names:
            states[name] = "OfflineReplica"
            self.held[name] = without(self.held[name], broker, self.term)
        if names:
            self.moved(replicas=moves)
            for name in names:
                self.truth.leader(name, self.held[name].leader, self.free)
            self.request(names, recipients=self.live - {broker})

    def move_leaders_away(self, broker: int) -> None:
        """ControlledShutdown."""
        self.stopping.add(broker)
        live = ids(sorted(self.live - self.stopping))
        self.told(
            f"INFO Shutting down broker {broker}",
            f"DEBUG All shutting down brokers: {ids(sorted(self.stopping))}",
            f"DEBUG Live brokers: {live}",
        )
        hosted = [name for name in self.hosted[broker] if len(self.held[name].replicas) > 1]
        found = []
        for name in hosted:
            held = self.held[name]
            if held.leader == broker and (leader := first_of(held, self.live - self.stopping)) != NO_LEADER:
                isr = [one for one in held.isr if one not in self.stopping]
                self.held[name] = led_by(held, leader, isr, self.term)
                found.append((name, ONLINE, ONLINE, self.held[name]))
        self.moved(found)
        self.request([name for name, *_ in found])
        moved = {name for name, *_ in found}
        followed = [name for name in hosted if name not in moved and self.held[name].leader != broker]
        self.stop_replicas(broker, followed)
        self.take_offline(broker, followed)
        self.stop_replicas(broker, followed)
        leaders = ",".join(
            f"{name} -> (Leader:{one.leader},ISR:{ids(one.isr)},LeaderEpoch:{one.epoch},ControllerEpoch:{one.term})"
            for name, one in self.held.items()
        )
        self.told(f"TRACE All leaders = {leaders}")

    def create(self, topic: str, number: int) -> None:
        held = {
            f"{topic}-{partition}": Held(replicas[0], 0, replicas, 0, replicas, self.term)
            for partition, replicas in enumerate(assignment(self.plan, topic, number))
        }
        assigned = ", ".join(f"{name} -> Vector({spaced(one.replicas)})" for name, one in held.items())
        self.told(
            f"INFO New topics: [Set({topic})], deleted topics: [Set()], new partition replica assignment [Map({assigned})]",
            f"INFO New partition creation callback for {','.join(held)}",
        )
        self.moved([(name, NONE, NEW, one) for name, one in held.items()])
        replicas = [(name, broker) for name, one in held.items() for broker in one.replicas]
        self.moved(replicas=[(*one, "NonExistentReplica", "NewReplica") for one in replicas])
        self.held |= held
        for name, broker in replicas:
            self.hosted[broker][name] = None
        self.moved([(name, NEW, ONLINE, one) for name, one in held.items()])
        self.request(held, is_new=True)
        self.moved(replicas=[(*one, "NewReplica", "OnlineReplica") for one in replicas])

    def check(self) -> None:
        """checkAndTriggerAutoLeaderRebalance."""
        groups: dict[int, list[str]] = {}
        for name, held in self.held.items():
            groups.setdefault(held.replicas[0], []).append(name)
        by_broker = ", ".join(f"{broker} -> Map({self.assigned(names)})" for broker, names in groups.items())
        self.told("TRACE Checking need to trigger auto leader balancing")
        self.told(f"DEBUG Preferred replicas by broker Map({by_broker})")
        for broker, names in groups.items():
            elsewhere = [name for name in names if self.held[name].leader != broker]
            at, ratio = self.free, len(elsewhere) / len(names)
            self.told(
                f"DEBUG Topics not in preferred replica for broker {broker} Map({self.assigned(elsewhere)})",
                f"TRACE Leader imbalance ratio for broker {broker} is {java_double(ratio)}",
            )
            self.truth.ratios.append((at, self.controller, broker, len(elsewhere), len(names)))
            if ratio > IMBALANCE_LIMIT:
                self.elect_preferred(broker, elsewhere if broker in self.live - self.stopping else [])

    def elect_preferred(self, broker: int, names: list[str]) -> None:
        self.told(f"INFO Starting preferred replica leader election for partitions {','.join(names)}")
        found, failed = [], []
        for name in names:
            held = self.held[name]
            if broker in held.isr:
                self.held[name] = led_by(held, broker, held.isr, self.term)
                found.append((name, ONLINE, ONLINE, self.held[name]))
            else:
                failed.append((name, ONLINE, ONLINE))
        if not found and not failed:
            return
        self.moved(found, failed=failed, strategy=PREFERRED)
        if found:
            self.request([name for name, *_ in found])
        self.told(
            *(
                f"INFO Partition {name} completed preferred replica leader election. New leader is {broker}"
                for name, *_ in found
            )
        )

    def assigned(self, names: list[str]) -> str:
        return ", ".join(f"{name} -> Vector({spaced(self.held[name].replicas)})" for name in names)

    def epochs_line(self) -> str:
        epochs = ", ".join(f"{one} -> {self.broker_epochs[one]}" for one in sorted(self.live))
        return f"INFO Updated broker epochs cache: Map({epochs})"


def java_double(value: float) -> str:
    """As Double.toString prints it: below a thousandth with an exponent."""
    if value == 0 or value >= 1e-3:
        return repr(value)
    digits, _, exponent = f"{value!r}".partition("e") if "e" in repr(value) else repr_scaled(value)
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


def repr_scaled(value: float) -> tuple[str, str, str]:
    """Digits of a double in 1e-4 to 1e-3, which Python prints without an exponent."""
    digits = repr(value).partition(".")[2].lstrip("0")
    return f"{digits[0]}.{digits[1:] or '0'}", "e", "-4"
