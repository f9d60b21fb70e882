"""What a controller does of itself: it is elected, gives partitions leaders, and checks the balance in its interval."""

from tests.gold.fleet_lines import (
    FAILED_ELECTION,
    MOVED,
    NO_LEADER,
    PARTITION_MACHINE,
    REPLICA_MACHINE,
    Partition,
    joined,
)
from tests.gold.fleet_requests import Requests

BROKERS = (1, 2, 3)
FIRST_CHECK_MS = 5_000
LIMIT = 0.10


class Controller(Requests):
    def until(self, at: int) -> None:
        """Time passes, and the controller checks the balance whenever it is time to."""
        while self.next_check is not None and self.next_check <= at:
            self.now = max(self.now, self.next_check)
            self.check()
        self.now = max(self.now, at)

    def passing(self, seconds: float) -> None:
        self.until(self.now + round(seconds * 1000))

    def elect(self, node: int) -> None:
        """A controller is elected and starts up."""
        self.controller, self.epoch = node, self.epoch + 1
        self.sent.clear()
        self.say(
            f"{node} successfully elected as the controller. Epoch incremented to {self.epoch} and epoch zk version is now {self.epoch}"
        )
        for other in self.live - {node}:
            self.own(
                other, f"Broker {node} was elected as controller instead of broker {other}\n{MOVED}", "DEBUG"
            )
        for step in ("Registering handlers", "Deleting log dir event notifications", "Deleting isr change notifications", "Initializing controller context"):  # fmt: skip
            self.say(step)
        self.say(f"Initialized broker epochs cache: {self.epochs()}")
        self.say(f"Register BrokerModifications handler for Set({joined(self.up(), ', ')})", "DEBUG")
        for broker in self.up():
            self.connecting(node, broker)
            self.sender(node, "Starting")
        self.say(f"Currently active brokers in the cluster: Set({joined(self.up(), ', ')})")
        self.say("Currently shutting brokers in the cluster: HashSet()")
        topics = sorted({one.topic for one in self.partitions.values()})
        self.say(f"Current list of topics in the cluster: HashSet({joined(topics, ', ')})")
        self.read_deletions()
        self.now += self.rng.randrange(3, 40)
        self.start_machines()
        self.say(f"Ready to serve as the new controller with epoch {self.epoch}")
        for step in ("Partitions undergoing preferred replica election: ", "Partitions that completed preferred replica election: ", "Skipping preferred replica election for partitions due to topic deletion: ", "Resuming preferred replica election for partitions: ", "Starting replica leader election (PREFERRED) for partitions  triggered by ZkTriggered"):  # fmt: skip
            self.say(step)
        self.say("Starting the controller scheduler")
        self.next_check = self.now + FIRST_CHECK_MS

    def epochs(self) -> str:
        return f"HashMap({', '.join(f'{one} -> {self.broker_epochs[one]}' for one in self.up())})"

    def read_deletions(self) -> None:
        halted = sorted(
            {one.topic for one in self.partitions.values() if not self.live.issuperset(one.replicas)}
        )
        queued = sorted(self.deleting)
        self.say("Fetching topic deletions in progress")
        self.say(f"List of topics to be deleted: {joined(queued)}")
        self.say(f"List of topics ineligible for deletion: {joined(halted)}")
        self.say("Initializing topic deletion manager")
        sets = f"initial deletions: Set({joined(queued, ', ')}), initial ineligible deletions: HashSet({joined(halted, ', ')})"
        self.deletion(self.controller, f"Initializing manager with {sets}")
        self.say("Sending update metadata request")
        self.changed(
            f"Sending UpdateMetadata request to brokers HashSet({joined(self.up(), ', ')}) for 0 partitions"
        )

    def start_machines(self) -> None:
        """Replicas first, those of dead brokers leave their ISR; then partitions, those without a leader get one."""
        node, everything = self.controller, list(self.partitions.values())
        for text in ("Initializing replica state", "Triggering online replica state changes"):
            self.machine(node, REPLICA_MACHINE, text)
        for broker in self.up():
            self.connected(node, broker)
        if everything:
            self.send(everything)
        self.machine(node, REPLICA_MACHINE, "Triggering offline replica state changes")
        for broker in set(BROKERS) - self.live:
            self.leave_isr(broker, self.acted_on(self.of_broker(broker)))
        states = (
            f"{one.replica(broker)} -> {'Online' if broker in self.live else 'Offline'}Replica"
            for one in everything
            for broker in one.replicas
        )
        said = "Started replica state machine with initial state -> HashMap"
        self.machine(node, REPLICA_MACHINE, f"{said}({joined(states, ', ')})", "DEBUG")
        for text in ("Initializing partition state", "Triggering online partition state changes"):
            self.machine(node, PARTITION_MACHINE, text)
        self.elect_offline()
        states = (
            f"{one.name} -> {'Online' if one.leader in self.live else 'Offline'}Partition"
            for one in everything
        )
        said = "Started partition state machine with initial state -> HashMap"
        self.machine(node, PARTITION_MACHINE, f"{said}({joined(states, ', ')})", "DEBUG")

    def leave_isr(self, broker: int, some: list[Partition]) -> None:
        for one in some:
            if broker in one.isr:
                rest = [each for each in one.isr if each != broker] or one.isr
                one.led_by(NO_LEADER if one.leader == broker else one.leader, rest)
            self.changed(
                f"Partition {one.name} state changed to {one.short(self.epoch)} after removing replica {broker} from the ISR as part of transition to OfflineReplica"
            )
        if some:
            self.send(some)

    def elect_offline(self) -> None:
        """Each partition without a live leader gets the first of its replicas that is live and in sync, if there is one."""
        elected = []
        for one in self.acted_on(self.partitions.values()):
            alive = [each for each in one.replicas if each in self.live]
            fit = [each for each in alive if each in one.isr]
            if one.leader in self.live:
                continue
            if fit:
                one.led_by(fit[0], [each for each in one.isr if each in self.live])
            elif alive and one.topic in self.unclean:
                one.led_by(alive[0], alive[:1])
                one.recovery = "RECOVERING"
            else:
                self.changed(
                    f"Controller {self.controller} epoch {self.epoch} failed to change state for partition {one.name} from OfflinePartition to OnlinePartition\n{FAILED_ELECTION.format(one.name)}",
                    "ERROR",
                )
                continue
            self.move(one, "OfflinePartition")
            elected.append(one)
        if elected:
            self.send(elected)

    def move(self, one: Partition, before: str) -> None:
        self.changed(
            f"Changed partition {one.name} from {before} to OnlinePartition with state {one.state()}"
        )

    def check(self) -> None:
        """The balance of all brokers; partitions go back to preferred leaders that lead too few."""
        self.next_check = self.now + self.check_ms
        self.say("Processing automatic preferred replica leader election")
        self.say("Checking need to trigger auto leader balancing", "TRACE")
        for broker in sorted({one.replicas[0] for one in self.partitions.values()}):
            own = [one for one in self.partitions.values() if one.replicas[0] == broker]
            elsewhere = [one for one in own if one.leader != broker]
            told = joined((f"{one.name} -> List({joined(one.replicas, ', ')})" for one in elsewhere), ", ")
            self.say(f"Topics not in preferred replica for broker {broker} HashMap({told})", "DEBUG")
            ratio = len(elsewhere) / len(own)
            self.say(f"Leader imbalance ratio for broker {broker} is {ratio}", "TRACE")
            if ratio > LIMIT:
                fit = [one for one in self.acted_on(elsewhere) if broker in self.live and broker in one.isr]
                self.prefer(fit, "AutoTriggered")

    def prefer(self, some: list[Partition], trigger: str) -> None:
        names = joined(one.name for one in some)
        self.say(
            f"Starting replica leader election (PREFERRED) for partitions {names} triggered by {trigger}"
        )
        for one in some:
            one.led_by(one.replicas[0], one.isr)
            self.move(one, "OnlinePartition")
        if some:
            self.send(some)
        for one in some:
            self.say(
                f"Partition {one.name} completed preferred replica leader election. New leader is {one.leader}"
            )
