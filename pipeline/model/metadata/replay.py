"""Replays the metadata log: records in the order of their offsets, states and judged moves out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from pipeline.kafka.machines.registrations import (
    NONE,
    PARTITION_REGISTRATION,
)
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.broker_replay import BrokerReplay
from pipeline.model.metadata.causes import OTHER, UNCLEAN, BatchCauses, batch_causes
from pipeline.model.metadata.states import (
    BrokenRule,
    BrokerRegistration,
    PartitionKey,
    PartitionRegistration,
    broken_rules,
    changed_partition,
    is_unclean_record,
    partition_of_record,
    partition_without_base,
)


@dataclass(slots=True)
class TopicLife:
    """A topic between its creation and its deletion. `created_offset`: None where a snapshot holds it."""

    topic_id: str
    name: str
    created_at_ms: int | None
    created_offset: int | None
    deleted_at_ms: int | None = None
    deleted_offset: int | None = None


@dataclass
class MetadataReplay(BrokerReplay):
    """The cluster as the records make it. `partitions`, `brokers`, `topics`: at the end; `states`, `registrations`,
    `lives`: all there were, in order; `changes`: records that set something, in order; `unclean`: elections that may
    have lost records. `cleared`: states whose ELR a record emptied. `skipped`: changes of what the log does not have
    the base of.
    """

    partitions: dict[PartitionKey, PartitionRegistration] = field(default_factory=dict)
    topics: dict[str, str] = field(default_factory=dict)
    states: list[PartitionRegistration] = field(default_factory=list)
    lives: list[TopicLife] = field(default_factory=list)
    removed: list[tuple[PartitionKey, int, int]] = field(default_factory=list)
    changes: list[MetadataRecord] = field(default_factory=list)
    unclean: list[tuple[PartitionRegistration, PartitionRegistration]] = field(default_factory=list)
    cleared: list[PartitionRegistration] = field(default_factory=list)
    skipped: int = 0
    _open: list[MetadataRecord] | None = None
    _causes: BatchCauses = field(default_factory=BatchCauses)
    _keys: dict[str, dict[PartitionKey, None]] = field(
        default_factory=dict
    )  # of partitions, by the id of the topic
    _lives: dict[str, list[TopicLife]] = field(default_factory=dict)  # by the id

    def take_snapshot(self, records: Sequence[MetadataRecord]) -> None:
        """The state at an offset: takes the place of all that is known. It makes no moves."""
        self.partitions, self.brokers, self.topics, self._keys = {}, {}, {}, {}
        self._is_base = True
        for one in records:
            if one.fields is not None:
                self.apply_record(replace(one, offset=-1))
        self._is_base = False

    def go_on_from(
        self, partitions: Iterable[PartitionRegistration] = (), brokers: Iterable[BrokerRegistration] = ()
    ) -> None:
        """What earlier records made: takes the place of all that is known."""
        self.lose_base()
        for one in partitions:
            self.partitions[one.key] = one
            self._keys.setdefault(one.topic_id, {})[one.key] = None
            if one.topic is not None:
                self.topics[one.topic_id] = one.topic
        self.brokers = {one.broker_id: one for one in brokers}

    def take_log(self, records: Iterable[MetadataRecord]) -> None:
        """Records that follow one another without a hole."""
        for _, batch in groupby(records, key=lambda one: (one.epoch, one.batch_offset)):
            decided = [one for one in batch if one.fields is not None]
            self._causes = batch_causes(decided)
            self._causes.is_told = bool(decided) and decided[0].epoch >= 0
            for one in decided:
                self._take_record(one)

    def lose_base(self) -> None:
        """Records are missing from here on: what is known holds no more, but which topics there are."""
        self.partitions, self.brokers, self._keys, self._open = {}, {}, {}, None

    def _take_record(self, record: MetadataRecord) -> None:
        """What stands in a transaction counts when it ends, what stands in one that is aborted never."""
        if record.name == "BEGIN_TRANSACTION_RECORD":
            self._open = []
        elif record.name == "ABORT_TRANSACTION_RECORD":
            self._open = None
        elif record.name == "END_TRANSACTION_RECORD":
            waiting, self._open = self._open or [], None
            for one in waiting:
                self.apply_record(one)
        elif self._open is not None:
            self._open.append(record)
        else:
            self.apply_record(record)

    def apply_record(self, record: MetadataRecord) -> None:
        handler = HANDLERS.get(record.name or "")
        if handler is not None:
            handler(self, record, record.fields or {})

    def _topic(self, record: MetadataRecord, said: dict[str, Any]) -> None:
        topic_id, name = said["topicId"], said["name"]
        self.topics[topic_id] = name
        if self._is_base and topic_id in self._lives:
            return
        at_ms, offset = (None, None) if self._is_base else (record.at_ms, record.offset)
        life = TopicLife(topic_id, name, at_ms, offset)
        self.lives.append(life)
        self._lives.setdefault(topic_id, []).append(life)

    def _remove_topic(self, record: MetadataRecord, said: dict[str, Any]) -> None:
        for key in self._keys.pop(said["topicId"], {}):
            old = self.partitions.pop(key)
            self._judge(PARTITION_REGISTRATION, key, old.state, NONE, record)
            self.removed.append((key, record.at_ms, record.offset))
        for life in self._lives.get(said["topicId"], ()):
            life.deleted_at_ms, life.deleted_offset = record.at_ms, record.offset

    def _partition(self, record: MetadataRecord, _: dict[str, Any]) -> None:
        state = partition_of_record(record, self.topics.get((record.fields or {})["topicId"]))
        self._judge(PARTITION_REGISTRATION, state.key, NONE, state.state, record)
        self._enter(state, record)

    def _change_partition(self, record: MetadataRecord, said: dict[str, Any]) -> None:
        key = said["topicId"], said["partitionId"]
        old = self.partitions.get(key)
        if old is None:
            self.skipped += 1
            old = partition_without_base(said, self.topics.get(said["topicId"]))
        new = changed_partition(old, record)
        if new.is_elected:
            new.cause, new.cause_broker_id = self._causes.of_election(old, new, said)
        if is_unclean_record(old, new, said):
            self.unclean.append((old, new))
            new.cause = UNCLEAN if new.cause == OTHER else new.cause
        self._judge(PARTITION_REGISTRATION, key, old.state, new.state, record)
        self._enter(new, record)

    def _enter(self, state: PartitionRegistration, record: MetadataRecord) -> None:
        self.partitions[state.key] = state
        self._keys.setdefault(state.key[0], {})[state.key] = None
        if not self._is_base:
            self.states.append(state)
            for sentence in broken_rules(state):
                broken = BrokenRule(PARTITION_REGISTRATION, state.key, record.offset, sentence)
                self.judged.broken.append(broken)

    def _clear_elr(self, record: MetadataRecord, said: dict[str, Any]) -> None:
        for key, one in self.partitions.items():
            if said.get("topicName") in (None, one.topic) and (one.elr or one.last_known_elr):
                self.partitions[key] = replace(one, elr=[], last_known_elr=[])
                self.cleared.append(
                    replace(
                        self.partitions[key],
                        decided_at_ms=record.at_ms,
                        offset=record.offset,
                        controller_epoch=record.epoch,
                        is_elected=False,
                        cause=None,
                        cause_broker_id=None,
                    )
                )
        self.changes.append(record)

    def _note_change(self, record: MetadataRecord, _: dict[str, Any]) -> None:
        if not self._is_base:
            self.changes.append(record)


HANDLERS = {
    "TOPIC_RECORD": MetadataReplay._topic,
    "REMOVE_TOPIC_RECORD": MetadataReplay._remove_topic,
    "PARTITION_RECORD": MetadataReplay._partition,
    "PARTITION_CHANGE_RECORD": MetadataReplay._change_partition,
    "CLEAR_ELR_RECORD": MetadataReplay._clear_elr,
    "REGISTER_BROKER_RECORD": MetadataReplay._register,
    "BROKER_REGISTRATION_CHANGE_RECORD": MetadataReplay._change_broker,
    "FENCE_BROKER_RECORD": MetadataReplay._fence_broker,
    "UNFENCE_BROKER_RECORD": MetadataReplay._fence_broker,
    "UNREGISTER_BROKER_RECORD": MetadataReplay._unregister,
    **dict.fromkeys(
        (
            "CONFIG_RECORD",
            "FEATURE_LEVEL_RECORD",
            "ACCESS_CONTROL_ENTRY_RECORD",
            "REMOVE_ACCESS_CONTROL_ENTRY_RECORD",
            "CLIENT_QUOTA_RECORD",
            "USER_SCRAM_CREDENTIAL_RECORD",
            "REMOVE_USER_SCRAM_CREDENTIAL_RECORD",
            "DELEGATION_TOKEN_RECORD",
            "REMOVE_DELEGATION_TOKEN_RECORD",
            "ZK_MIGRATION_STATE_RECORD",
            "REGISTER_CONTROLLER_RECORD",
            "UNREGISTER_CONTROLLER_RECORD",
            "KRAFT_VERSION",
            "KRAFT_VOTERS",
        ),
        MetadataReplay._note_change,
    ),
}
