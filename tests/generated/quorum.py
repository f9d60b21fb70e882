"""Controllers of Kafka 3.9 in KRaft mode: who is in office, and what they print of records and brokers."""

import base64
import hashlib
from collections.abc import Iterable, Sequence

from tests.generated.held import Held, ids, spaced
from tests.generated.kraft_steps import Applied, Delta
from tests.generated.output import CONTROLLER, SERVER, Step
from tests.generated.plan import BEGIN, CHECK_SECONDS, SECOND, Plan
from tests.generated.steps import Say
from tests.generated.truth import Truth

CONTROLLERS = (1001, 1002, 1003)
CLUSTER = "generatedQ1aZx2Cv3Bn4Mg"[:22]
QUORUM, REPLICATION = "QuorumController", "ReplicationControlManager"
CLUSTERS, HEARTBEATS = "ClusterControlManager", "BrokerHeartbeatManager"
SHOWN_LATER = 100  # ms: standby controllers replay a record
LINE = tuple[str, str, str]  # level, text, class


class Quorum:
    """held: by partition its registration; its version is the partition epoch. up: brokers that run; active: those that
    are not fenced, nor shutting down. known: leader and epoch by partition in the memory of each broker."""

    folder = "node"

    def __init__(self, plan: Plan) -> None:
        self.plan, self.truth, self.steps = plan, Truth(mode=plan.mode), list[Step]()
        self.held: dict[str, Held] = {}
        self.topics: dict[str, str] = {}
        self.hosted: dict[int, dict[str, None]] = {one: {} for one in range(1, plan.brokers + 1)}
        self.up, self.active, self.standing = set[int](), set[int](), set[int]()
        self.known: dict[int, dict[str, tuple[int, int]]] = {}
        self.registered: dict[int, tuple[str, int]] = {}
        self.died: dict[int, int] = {}
        self.controller = self.term = self.next_check = self.offset = 0
        self.free = BEGIN + SECOND

    @property
    def nodes(self) -> list[int]:
        """Those that have logs."""
        return [*self.hosted, *CONTROLLERS]

    # What is written

    def put(self, step: Step) -> None:
        self.steps.append(step)
        self.free = step.end

    def say(self, node: int, log: str, *lines: LINE) -> None:
        package = "kafka.server" if log == SERVER else "org.apache.kafka.controller"
        self.put(
            Say(self.free, node, [(log, level, text, f"{package}.{name}") for level, text, name in lines])
        )

    def told(self, *lines: LINE, by: int = 0) -> None:
        """Lines of the active controller."""
        node = by or self.controller
        me = f"[QuorumController id={node}] "
        self.say(node, CONTROLLER, *((level, me + text, name) for level, text, name in lines))

    def replayed(self, *texts: str, by: str = REPLICATION) -> None:
        """Records that the active controller appends; the others print them a little later."""
        self.offset += len(texts)
        lines = [("INFO", text, by) for text in texts]
        self.told(*lines)
        at, self.free = self.free, self.free + SHOWN_LATER
        for node in sorted(self.standing - {self.controller}):
            self.told(*lines, by=node)
        self.free = at

    # Who is in office

    def start_controllers(self, nodes: Iterable[int]) -> None:
        """Processes of controllers start; what a snapshot holds is replayed."""
        for node in sorted(nodes):
            version = ("INFO", "Kafka version: 3.9.2", "utils.AppInfoParser")
            self.say(
                node,
                SERVER,
                ("INFO", f"[ControllerServer id={node}] Starting controller", "ControllerServer"),
            )
            self.put(
                Say(self.free, node, [(SERVER, *version[:2], "org.apache.kafka.common.utils.AppInfoParser")])
            )
            self.standing.add(node)
            self.told(("INFO", f"Creating new QuorumController with clusterId {CLUSTER}.", QUORUM), by=node)
            if self.controller:
                lines = [("INFO", text, REPLICATION) for text in self.whole()]
                self.told(*lines, by=node)
                self.told(self.leader_line(self.controller), by=node)
            self.free += 200

    def whole(self) -> Iterable[str]:
        """All topics as records of a snapshot."""
        for topic, topic_id in self.topics.items():
            yield f"Replayed TopicRecord for topic {topic} with topic ID {topic_id}."
        for name, held in self.held.items():
            yield self.partition_text(name, held)

    def leader_line(self, leader: int) -> LINE:
        return "INFO", f"In the new epoch {self.term}, the leader is {leader or '(none)'}.", QUORUM

    def elect_controller(self) -> None:
        """A new epoch without a leader, and the one that wins it."""
        self.term += 1
        elected = sorted(self.standing)[(self.term * 7 + self.plan.seed) % len(self.standing)]
        for node in sorted(self.standing):
            self.told(self.leader_line(0), by=node)
        self.free += 900
        self.controller = elected
        self.truth.terms.append((self.term, elected, self.free))
        activation = (
            "Loaded ZK migration state of NONE. This is expected because this is a de-novo KRaft cluster."
        )
        if not self.offset:
            activation = (
                "The metadata log appears to be empty. Appending 1 bootstrap record(s) in metadata transaction at "
                "metadata.version 3.9-IV0 from bootstrap source 'the binary bootstrap metadata file: "
                "/var/lib/kafka/bootstrap.checkpoint'. Setting the ZK migration state to NONE since this is a de-novo KRaft "
                "cluster."
            )
        self.told(
            (
                "INFO",
                f"Becoming the active controller at epoch {self.term}, next write offset {self.offset + 1}.",
                QUORUM,
            ),
            ("WARN", f"Performing controller activation. {activation}", QUORUM),
        )
        for node in sorted(self.standing - {elected}):
            self.told(self.leader_line(elected), by=node)
        self.next_check = self.free + CHECK_SECONDS * SECOND

    # Records

    def register(self, broker: int) -> None:
        """A broker that starts: a new incarnation, fenced."""
        self.offset += 1
        before, incarnation = self.registered.get(broker), uuid_of(f"{broker} {self.offset}")
        self.registered[broker] = incarnation, self.offset
        if before is None:
            asked = f"No previous registration found for broker {broker}. New incarnation ID is {incarnation}.  Generated 0 record(s) to clean up previous incarnations. New broker epoch is {self.offset}."
            how = f"initial RegisterBrokerRecord for broker {broker}"
        else:
            asked = (
                f"Registering a new incarnation of broker {broker}. Previous incarnation ID was {before[0]}; new incarnation ID "
                f"is {incarnation}. Generated 0 record(s) to clean up previous incarnations. Broker epoch will become "
                f"{self.offset}."
            )
            how = f"RegisterBrokerRecord establishing a new incarnation of broker {broker}"
        self.told(("INFO", asked, CLUSTERS))
        self.replayed(
            f"Replayed {how}: RegisterBrokerRecord(brokerId={broker}, isMigratingZkBroker=false, incarnationId={incarnation}, "
            f"brokerEpoch={self.offset}, endPoints=[BrokerEndpoint(name='PLAINTEXT', host='kafka-{broker}.example', port=9092, "
            "securityProtocol=0)], features=[BrokerFeature(name='kraft.version', minSupportedVersion=0, "
            "maxSupportedVersion=1), BrokerFeature(name='metadata.version', minSupportedVersion=1, maxSupportedVersion=21)], "
            f"rack=null, fenced=true, inControlledShutdown=false, logDirs=[{uuid_of(str(broker))}])",
            by=CLUSTERS,
        )

    def registration_changed(self, broker: int, fenced: int, stopping: int) -> None:
        self.replayed(
            f"Replayed BrokerRegistrationChangeRecord modifying the registration for broker {broker}: "
            f"BrokerRegistrationChangeRecord(brokerId={broker}, brokerEpoch={self.registered[broker][1]}, fenced={fenced}, "
            f"inControlledShutdown={stopping}, logDirs=[])",
            by=CLUSTERS,
        )

    def partition_text(self, name: str, held: Held) -> str:
        directories = ", ".join(uuid_of(str(one)) for one in held.replicas)
        topic = name.rpartition("-")[0]
        return (
            f"Replayed PartitionRecord for new partition {name} with topic ID {self.topics[topic]} and PartitionRegistration("
            f"replicas=[{spaced(held.replicas)}], directories=[{directories}], isr=[{spaced(held.isr)}], removingReplicas=[], "
            f"addingReplicas=[], elr=[], lastKnownElr=[], leader={held.leader}, leaderRecoveryState=RECOVERED, "
            f"leaderEpoch={held.epoch}, partitionEpoch={held.version})."
        )

    def apply(
        self,
        names: Iterable[str],
        at: int,
        only: int = 0,
        moving: tuple[tuple[int, ...], tuple[int, ...]] = ((), ()),
        late: frozenset[str] = frozenset(),
        deleted: dict[int, int] | None = None,
    ) -> None:
        """Brokers that run apply what changed of these partitions, decided at this time."""
        applied: dict[int, list[Applied]] = {}
        named = list(names)
        for name in named:
            held, topic_id = self.held[name], self.topics[name.rpartition("-")[0]]
            for broker in held.replicas:
                if broker in self.up and only in (0, broker):
                    known = self.known[broker]
                    applied.setdefault(broker, []).append(
                        Applied(name, held, topic_id, known.get(name), moving)
                    )
                    known[name] = held.leader, held.epoch
        delta = Delta(self.free, applied, deleted or {}, late)
        self.put(delta)
        for name in named:
            self.note(name, at, delta.shown)

    def note(self, name: str, at: int, shown: int) -> None:
        """The truth of a partition's leader."""
        self.truth.leader(name, self.held[name].leader, at, shown)
        if self.held[name].leader > 0:
            self.truth.led_again(name, at)

    def changes_text(self, count: int, event: str) -> LINE:
        return "INFO", f"{event}: changing {count} partition(s)", REPLICATION


def uuid_of(text: str) -> str:
    """A Kafka Uuid that follows from a text."""
    found = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).decode()[:22]
    return f"A{found[1:]}" if found.startswith("-") else found


def isr_text(before: Sequence[int], now: Sequence[int]) -> str:
    return f"isr: [{ids(before, ', ')}] -> [{ids(now, ', ')}]"
