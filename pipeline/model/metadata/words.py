"""Records of the metadata log in plain words, one sentence each."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pipeline.kafka.metadata_log.decoding import NOT_UNDERSTOOD
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.states import PartitionRegistration

RESOURCES = {2: "topic", 4: "broker", 8: "broker logger", 16: "client metrics", 32: "group"}
Fields = Mapping[str, Any]


def record_sentence(
    record: MetadataRecord, topics: Mapping[str, str], old: PartitionRegistration | None = None
) -> str:
    """topics: names by id. old: the state before a change of a partition."""
    if record.fields is None:
        name = record.name or "a record"
        return f"{name} (not understood: {NOT_UNDERSTOOD[record.reason or 'bad_bytes'].rstrip('.')})"
    teller = TELLERS.get(record.name or "")
    said = record.fields
    if teller is not None:
        return teller(said, topics)
    if record.name == "PARTITION_CHANGE_RECORD":
        return _partition_change(said, topics, old)
    name = (record.name or "").removesuffix("_RECORD").replace("_", " ").lower()
    shown = ", ".join(f"{key} {_value_text(value)}" for key, value in said.items() if key != "version")
    return f"{name}: {shown}" if shown else name


def broker_ids_text(ids: Iterable[int] | None) -> str:
    return "[?]" if ids is None else f"[{','.join(map(str, ids))}]"


def _value_text(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, dict):
        return f"({', '.join(f'{key} {_value_text(one)}' for key, one in value.items())})"
    return "none" if value is None else str(value)


def _named_partition(said: Fields, topics: Mapping[str, str]) -> str:
    return f"{topics.get(said['topicId'], said['topicId'])}-{said['partitionId']}"


def _partition_change(said: Fields, topics: Mapping[str, str], old: PartitionRegistration | None) -> str:
    told = []
    leader = said.get("leader", -2)
    if leader != -2:
        before = "" if old is None or old.leader is None else f"{_leader_text(old.leader)} -> "
        base = None if old is None else old.leader_epoch
        epoch = "" if base is None else f" (leader epoch {base + 1})"
        told.append(f"leader {before}{_leader_text(leader)}{epoch}")
    for name, label, attribute in LISTS:
        if said.get(name) is not None:
            was = getattr(old, attribute) if old is not None else None
            arrow = "" if was is None else f"{broker_ids_text(was)} -> "
            told.append(f"{label} {arrow}{broker_ids_text(said[name])}")
    if said.get("directories") is not None:
        told.append(f"directories {_value_text(said['directories'])}")
    if (recovery := said.get("leaderRecoveryState", -1)) != -1:
        told.append("the leader recovers" if recovery == 1 else "recovered")
    if old is not None and old.partition_epoch is not None:
        told.append(f"partition epoch {old.partition_epoch + 1}")
    return f"partition change {_named_partition(said, topics)}: {', '.join(told) or 'nothing named'}"


LISTS = (
    ("isr", "ISR", "isr"),
    ("eligibleLeaderReplicas", "ELR", "elr"),
    ("lastKnownElr", "last known leader", "last_known_elr"),
    ("replicas", "replicas", "replicas"),
    ("addingReplicas", "adding", "adding"),
    ("removingReplicas", "removing", "removing"),
)


def _leader_text(leader: int) -> str:
    return "none" if leader < 0 else str(leader)


def _partition(said: Fields, topics: Mapping[str, str]) -> str:
    elr = said.get("eligibleLeaderReplicas")
    more = f", ELR {broker_ids_text(elr)}" if elr else ""
    return (
        f"partition {_named_partition(said, topics)}: leader {_leader_text(said['leader'])} "
        f"(leader epoch {said['leaderEpoch']}), ISR {broker_ids_text(said['isr'])}{more}, "
        f"replicas {broker_ids_text(said['replicas'])}, partition epoch {said['partitionEpoch']}"
    )


def _register_broker(said: Fields, _: Mapping[str, str]) -> str:
    state = "fenced" if said.get("fenced", True) else "unfenced"
    stopping = ", in controlled shutdown" if said.get("inControlledShutdown") else ""
    rack = f", rack {said['rack']}" if said.get("rack") else ""
    return f"broker {said['brokerId']} registers: broker epoch {said['brokerEpoch']}, {state}{stopping}{rack}"


def _broker_change(said: Fields, _: Mapping[str, str]) -> str:
    told = [{1: "fenced", -1: "unfenced"}.get(said.get("fenced", 0), "")]
    told.append("controlled shutdown begins" if said.get("inControlledShutdown") == 1 else "")
    told.append("log directories change" if said.get("logDirs") is not None else "")
    told.append("cordoned directories change" if said.get("cordonedLogDirs") is not None else "")
    shown = ", ".join(filter(None, told)) or "no change"
    return f"broker {said['brokerId']} (broker epoch {said['brokerEpoch']}): {shown}"


def _setting(said: Fields, _: Mapping[str, str]) -> str:
    kind = RESOURCES.get(said["resourceType"], f"resource type {said['resourceType']}")
    of = f"{kind} {said['resourceName']}" if said["resourceName"] else f"all {kind}s"
    if said.get("value") is None:
        return f"setting {said['name']} of {of} is taken away"
    return f"setting {said['name']} of {of} = {said['value']}"


def _leader_change(said: Fields, _: Mapping[str, str]) -> str:
    if "leaderId" not in said:
        return "a controller is elected (dumps up to 4.0 do not say which)"
    voters = ",".join(str(one["voterId"]) for one in said["voters"])
    votes = ",".join(str(one["voterId"]) for one in said["grantingVoters"])
    return f"controller {said['leaderId']} is elected; voters {voters}, votes of {votes}"


TELLERS: dict[str, Callable[[Fields, Mapping[str, str]], str]] = {
    "TOPIC_RECORD": lambda said, _: f"topic {said['name']} is created, id {said['topicId']}",
    "REMOVE_TOPIC_RECORD": lambda said, topics: (
        f"topic {topics.get(said['topicId'], said['topicId'])} is deleted"
    ),
    "PARTITION_RECORD": _partition,
    "REGISTER_BROKER_RECORD": _register_broker,
    "BROKER_REGISTRATION_CHANGE_RECORD": _broker_change,
    "FENCE_BROKER_RECORD": lambda said, _: f"broker {said['id']} is fenced (broker epoch {said['epoch']})",
    "UNFENCE_BROKER_RECORD": lambda said, _: (
        f"broker {said['id']} is unfenced (broker epoch {said['epoch']})"
    ),
    "UNREGISTER_BROKER_RECORD": lambda said, _: (
        f"broker {said['brokerId']} is unregistered (broker epoch {said['brokerEpoch']})"
    ),
    "CONFIG_RECORD": _setting,
    "FEATURE_LEVEL_RECORD": lambda said, _: f"feature {said['name']} = {said['featureLevel']}",
    "LEADER_CHANGE": _leader_change,
    "BEGIN_TRANSACTION_RECORD": lambda said, _: f"transaction begins: {said.get('name') or 'no name'}",
    "END_TRANSACTION_RECORD": lambda *_: "transaction ends: what stands in it counts",
    "ABORT_TRANSACTION_RECORD": lambda said, _: (
        f"transaction aborted, what stands in it never counts: {said.get('reason') or 'no reason'}"
    ),
    "SNAPSHOT_HEADER": lambda *_: "snapshot begins",
    "SNAPSHOT_FOOTER": lambda *_: "snapshot ends, it is whole",
    "KRAFT_VERSION": lambda said, _: f"kraft.version = {said['kRaftVersion']}",
    "KRAFT_VOTERS": lambda said, _: (
        f"voters of the quorum: {','.join(str(one['voterId']) for one in said['voters'])}"
    ),
}
