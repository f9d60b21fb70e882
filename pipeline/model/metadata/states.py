"""What the records of the metadata log make of partitions and brokers: states, moves and rules that hold between."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pipeline.kafka.machines.registrations import (
    ACTIVE,
    FENCED,
    OFFLINE,
    ONLINE,
    SHUT_DOWN,
    STOPPING,
)
from pipeline.kafka.metadata_log.segment import MetadataRecord

NO_LEADER = -1
PartitionKey = tuple[str, int]
# Fields of a record by the name of the same in a state, in its order; those that a change does not name stay.
KEPT = {
    "isr": "isr",
    "replicas": "replicas",
    "addingReplicas": "adding",
    "removingReplicas": "removing",
    "eligibleLeaderReplicas": "elr",
    "lastKnownElr": "last_known_elr",
    "directories": "directories",
}
ASSIGNED = ("replicas", "addingReplicas", "removingReplicas")


@dataclass(slots=True)
class PartitionRegistration:
    """One state of a partition on record. What its base would tell is None where the log does not have it.

    `decided_at_ms`, `offset`, `controller_epoch`: of the record that made it; offset -1: it stands in a snapshot.
    `cause`, `cause_broker_id`: what else its batch decided, of an election. `is_elected`: the record names a leader.
    """

    topic_id: str
    partition: int
    topic: str | None
    leader: int | None
    leader_epoch: int | None
    partition_epoch: int | None
    isr: list[int] | None
    replicas: list[int] | None
    adding: list[int] | None
    removing: list[int] | None
    elr: list[int] | None
    last_known_elr: list[int] | None
    directories: list[str] | None
    is_recovering: bool | None
    decided_at_ms: int
    offset: int
    controller_epoch: int
    is_elected: bool = True
    cause: str | None = None
    cause_broker_id: int | None = None

    @property
    def key(self) -> PartitionKey:
        return self.topic_id, self.partition

    @property
    def state(self) -> str | None:
        return None if self.leader is None else OFFLINE if self.leader < 0 else ONLINE


@dataclass(slots=True)
class BrokerRegistration:
    """One state of a broker on record. `state`: of the machine broker_registration."""

    broker_id: int
    state: str
    broker_epoch: int | None
    incarnation_id: str | None
    rack: str | None
    is_fenced: bool | None
    is_stopping: bool | None
    decided_at_ms: int
    offset: int
    controller_epoch: int
    is_registered: bool = False


@dataclass(slots=True)
class RegistrationMove:
    """A move of one of the two machines. `key`: the broker, or (topic id, partition)."""

    machine: str
    key: int | PartitionKey
    from_state: str
    to_state: str
    offset: int
    decided_at_ms: int
    verdict: str


@dataclass(slots=True)
class BrokenRule:
    """What no release of Kafka writes: the log is damaged, or Kafka has a fault."""

    machine: str
    key: int | PartitionKey
    offset: int
    sentence: str


@dataclass
class Judgements:
    """Moves and broken rules of one replay."""

    moves: list[RegistrationMove] = field(default_factory=list)
    broken: list[BrokenRule] = field(default_factory=list)

    def counts(self) -> Counter[tuple[str, str, str]]:
        return Counter((one.machine, one.from_state, one.to_state) for one in self.moves)


def partition_of_record(record: MetadataRecord, topic: str | None) -> PartitionRegistration:
    """The state that a PartitionRecord says whole."""
    said = record.fields or {}
    return PartitionRegistration(
        said["topicId"],
        said["partitionId"],
        topic,
        said["leader"],
        said["leaderEpoch"],
        said["partitionEpoch"],
        said["isr"],
        said["replicas"],
        said["addingReplicas"],
        said["removingReplicas"],
        said.get("eligibleLeaderReplicas") or [],
        said.get("lastKnownElr") or [],
        said.get("directories"),
        said.get("leaderRecoveryState", 0) == 1,
        record.at_ms,
        record.offset,
        record.epoch,
    )


def partition_without_base(said: dict[str, Any], topic: str | None) -> PartitionRegistration:
    """A partition of which the log does not have the base."""
    return PartitionRegistration(
        said["topicId"],
        said["partitionId"],
        topic,
        leader=None,
        leader_epoch=None,
        partition_epoch=None,
        isr=None,
        replicas=None,
        adding=None,
        removing=None,
        elr=None,
        last_known_elr=None,
        directories=None,
        is_recovering=None,
        decided_at_ms=-1,
        offset=-1,
        controller_epoch=-1,
    )


def changed_partition(old: PartitionRegistration, record: MetadataRecord) -> PartitionRegistration:
    """As PartitionRegistration.merge: what is named is taken, each change raises the partition epoch, and one that
    names a leader the leader epoch."""
    said = record.fields or {}
    kept = [said.get(name) for name in KEPT]
    isr, replicas, adding, removing, elr, last_known_elr, directories = [
        getattr(old, own) if one is None else one for one, own in zip(kept, KEPT.values(), strict=True)
    ]
    leader, recovery = said.get("leader", -2), said.get("leaderRecoveryState", -1)
    is_elected, leader_epoch = leader != -2, old.leader_epoch
    if is_elected and leader_epoch is not None:
        leader_epoch += 1
    return PartitionRegistration(
        old.topic_id,
        old.partition,
        old.topic,
        leader if is_elected else old.leader,
        leader_epoch,
        None if old.partition_epoch is None else old.partition_epoch + 1,
        isr,
        replicas,
        adding,
        removing,
        elr,
        last_known_elr,
        directories,
        old.is_recovering if recovery == -1 else recovery == 1,
        record.at_ms,
        record.offset,
        record.epoch,
        is_elected,
    )


def is_unclean_record(old: PartitionRegistration, new: PartitionRegistration, said: dict[str, Any]) -> bool:
    """True if the record makes a leader that was in neither ISR nor ELR; the end of a reassignment joins the ISR and
    leads in one record, which is none."""
    if not new.is_elected or new.leader is None or new.leader < 0 or new.leader == old.leader:
        return False
    if old.isr is None or any(said.get(name) is not None for name in ASSIGNED):
        return False
    return new.leader not in [*old.isr, *(old.elr or [])]


def broken_rules(state: PartitionRegistration) -> list[str]:
    """Which of the rules that hold in every state this one breaks; of what is not known nothing is said."""
    isr, replicas, elr = (set(one or []) for one in (state.isr, state.replicas, state.elr))
    moving = {*(state.adding or []), *(state.removing or [])}
    leads = state.leader is not None and state.leader >= 0
    checked = (
        (leads and state.isr is not None and state.leader not in isr, "the leader is not in the ISR"),
        (state.replicas is not None and not isr <= replicas, "the ISR is not in the replicas"),
        (bool(elr & isr), "ELR and ISR share a replica"),
        (state.replicas is not None and not elr <= replicas, "the ELR is not in the replicas"),
        (
            state.replicas is not None and not moving <= replicas,
            "what is added or removed is not in the replicas",
        ),
        (len(replicas) < len(state.replicas or []), "a replica stands twice"),
    )
    return [said for is_broken, said in checked if is_broken]


def registration_state(*, is_fenced: bool, is_stopping: bool) -> str:
    if is_fenced:
        return SHUT_DOWN if is_stopping else FENCED
    return STOPPING if is_stopping else ACTIVE
