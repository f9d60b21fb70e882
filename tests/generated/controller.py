"""Controllers of a simulated cluster of Kafka 2.2 take office and resign (KafkaController, the state machines)."""

from collections.abc import Iterable

from tests.generated.held import elected_offline, spaced
from tests.generated.output import CONTROLLER
from tests.generated.plan import SECOND, UNCLEAN_TOPIC
from tests.generated.sender import OFFLINE, ONLINE, Sender
from tests.generated.steps import address

FIRST_CHECK = 5 * SECOND  # after a controller is elected


class Controller(Sender):
    """The one in office."""

    def take_office(self, broker: int) -> None:
        """onControllerFailover."""
        self.controller, self.term = broker, self.term + 1
        self.live, self.stopping, self.correlation = set(self.up), set(), {}
        self.truth.terms.append((self.term, broker, self.free))
        self.next_check = 0
        self.initialize(broker)
        self.send()
        self.start_replicas()
        self.start_partitions()
        self.told(
            f"INFO Ready to serve as the new controller with epoch {self.term}",
            "INFO Removing partitions Set() from the list of reassigned partitions in zookeeper",
            "INFO No more partitions need to be reassigned. Deleting zk path /admin/reassign_partitions",
            "INFO Partitions undergoing preferred replica election: ",
            "INFO Partitions that completed preferred replica election: ",
            "INFO Skipping preferred replica election for partitions due to topic deletion: ",
            "INFO Resuming preferred replica election for partitions: ",
            "INFO Starting preferred replica leader election for partitions ",
            "INFO Starting the controller scheduler",
        )
        self.next_check = self.free + FIRST_CHECK

    def initialize(self, broker: int) -> None:
        """initializeControllerContext."""
        epochs = ", ".join(f"{one} -> {self.broker_epochs[one]}" for one in sorted(self.live))
        live = f"Set({spaced(tuple(sorted(self.live)))})"
        topics = list(dict.fromkeys(name.rpartition("-")[0] for name in self.held))
        halted = list(
            dict.fromkeys(name.rpartition("-")[0] for one in self.down() for name in self.hosted[one])
        )
        self.told(
            f"INFO {broker} successfully elected as the controller. Epoch incremented to {self.term} and epoch zk version "
            f"is now {self.term}",
            "INFO Registering handlers",
            "INFO Deleting log dir event notifications",
            "INFO Deleting isr change notifications",
            "INFO Initializing controller context",
            f"INFO Initialized broker epochs cache: Map({epochs})",
            f"DEBUG Register BrokerModifications handler for {live}",
        )
        self.connect(sorted(self.live))
        self.told(
            "INFO Partitions being reassigned: Map()",
            f"INFO Currently active brokers in the cluster: {live}",
            "INFO Currently shutting brokers in the cluster: Set()",
            f"INFO Current list of topics in the cluster: Set({', '.join(topics)})",
            "INFO Fetching topic deletions in progress",
            "INFO List of topics to be deleted: ",
            f"INFO List of topics ineligible for deletion: {','.join(halted)}",
            "INFO Initializing topic deletion manager",
            "INFO Sending update metadata request",
        )

    def start_replicas(self) -> None:
        """ReplicaStateMachine.startup."""
        machine = "ReplicaStateMachine"
        self.told(
            "INFO Initializing replica state", "INFO Triggering online replica state changes", by=machine
        )
        states = dict.fromkeys(sorted(self.live), "OnlineReplica")
        states |= dict.fromkeys(self.down(), "ReplicaDeletionIneligible")
        self.offline_replicas = {one: dict.fromkeys(self.hosted[one], states[one]) for one in self.down()}
        if self.held:
            online = "OnlineReplica"
            self.moved(
                replicas=[
                    (name, one, online, online) for one in sorted(self.live) for name in self.hosted[one]
                ]
            )
            self.request(self.held)
        named = (
            "[Topic={},Partition={},Replica={}] -> {}".format(*name.rsplit("-", 1), one, state)
            for one, state in states.items()
            for name in self.hosted[one]
        )
        self.told(
            f"INFO Started replica state machine with initial state -> Map({', '.join(named)})", by=machine
        )

    def start_partitions(self) -> None:
        """PartitionStateMachine.startup."""
        machine = "PartitionStateMachine"
        self.told(
            "INFO Initializing partition state", "INFO Triggering online partition state changes", by=machine
        )
        self.offline = {name: None for name, held in self.held.items() if held.leader not in self.live}
        for name in self.offline:
            self.truth.died(name, self.died.get(self.held[name].leader, 0), None)
        self.elect_offline()
        named = ", ".join(f"{name} -> {OFFLINE if name in self.offline else ONLINE}" for name in self.held)
        self.told(f"INFO Started partition state machine with initial state -> Map({named})", by=machine)

    def elect_offline(self) -> None:
        """triggerOnlinePartitionStateChange."""
        found, failed = [], []
        for name in self.offline:
            held = elected_offline(
                self.held[name],
                self.live - self.stopping,
                self.term,
                is_unclean=name.startswith(UNCLEAN_TOPIC),
            )
            if held is None:
                failed.append((name, OFFLINE, ONLINE))
            else:
                found.append((name, OFFLINE, ONLINE, held))
        if not found and not failed:
            return
        at = self.free
        for name, _, _, held in found:
            if held.leader not in self.held[name].isr:
                self.truth.uncleanly(name, held.leader, at)
            del self.offline[name]
            self.held[name] = held
        self.moved(found, failed=failed)
        if found:
            self.request([name for name, *_ in found])

    def connect(self, brokers: Iterable[int]) -> None:
        """ControllerChannelManager adds brokers, their threads begin."""
        lines, thread = [], "RequestSendThread"
        for broker in brokers:
            self.correlation[broker] = 0
            text = f"[Channel manager on controller {self.controller}]: Controller {self.controller} trying to connect to broker {broker}"
            lines.append((CONTROLLER, "DEBUG", text, "kafka.controller.ControllerChannelManager"))
        self.say(self.controller, *lines)
        for broker in brokers:
            to = f"INFO Controller {self.controller} connected to {address(broker)} for sending state change requests"
            self.told("INFO Starting", to, by=thread)

    def resign(self) -> None:
        self.told("INFO Shutting down", "INFO Stopped", "INFO Shutdown completed", by="ControllerEventThread")
        handlers = f"Set({spaced(tuple(sorted(self.live)))})"
        self.told("DEBUG Resigning", f"DEBUG Unregister BrokerModifications handler for {handlers}")
        self.told("INFO Stopped partition state machine", by="PartitionStateMachine")
        self.told("INFO Stopped replica state machine", by="ReplicaStateMachine")
        for _ in self.live:
            self.told("INFO Shutting down", "INFO Stopped", "INFO Shutdown completed", by="RequestSendThread")
        self.told("INFO Resigned")
        self.controller = 0
