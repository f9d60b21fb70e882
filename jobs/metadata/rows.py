"""Records of a joined metadata log as rows to show: in words, by topic, broker, type, time or offset."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from jobs.metadata.files import MetadataCopies
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.joining import join_copies
from pipeline.model.metadata.replay import MetadataReplay
from pipeline.model.metadata.states import PartitionRegistration
from pipeline.model.metadata.words import record_sentence

BROKER_FIELDS = ("brokerId", "id", "leader")


@dataclass(frozen=True)
class RecordFilter:
    """What is asked for; None: all."""

    topic: str | None = None
    partition: int | None = None
    broker: int | None = None
    type: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    offsets: tuple[int, int] | None = None

    def wants(self, row: "RecordRow") -> bool:
        record, said = row.record, row.record.fields or {}
        at = record.at_ms / 1000
        checks = (
            self.topic is None or row.topic == self.topic,
            self.partition is None or said.get("partitionId") == self.partition,
            self.broker is None or self.broker in named_brokers(said),
            self.type is None or (record.name or "").removesuffix("_RECORD") == self.type,
            self.since is None or at >= self.since.timestamp(),
            self.until is None or at < self.until.timestamp(),
            self.offsets is None or self.offsets[0] <= record.offset <= self.offsets[1],
        )
        return all(checks)


@dataclass(frozen=True)
class RecordRow:
    """A record, what it says in words, and the topic that it is about."""

    record: MetadataRecord
    sentence: str
    topic: str | None
    is_void: bool = False
    is_in_snapshot: bool = False

    def document(self) -> dict[str, Any]:
        one = self.record
        return {
            "offset": None if self.is_in_snapshot else one.offset,
            "controller_epoch": one.epoch,
            "appended_at_ms": one.at_ms,
            "type": one.name,
            "version": one.version,
            "topic": self.topic,
            "fields": one.fields,
            "not_understood_reason": one.reason,
            "is_void": self.is_void,
            "words": self.sentence,
        }


@dataclass
class Names:
    """Of topics by id, as far as the records before told them."""

    topics: dict[str, str] = field(default_factory=dict)

    def learn(self, record: MetadataRecord) -> None:
        if record.name == "TOPIC_RECORD" and record.fields:
            self.topics[record.fields["topicId"]] = record.fields["name"]

    def topic_of(self, record: MetadataRecord) -> str | None:
        said = record.fields or {}
        if "topicId" in said:
            return self.topics.get(said["topicId"])
        return said.get("resourceName") if said.get("resourceType") == 2 else None


def named_brokers(said: dict[str, Any]) -> set[Any]:
    """The brokers that a record names as itself, as leader, or among replicas."""
    lists = (said.get(name) or [] for name in ("isr", "replicas"))
    return {said.get(name) for name in BROKER_FIELDS} | {one for some in lists for one in some}


def record_rows(copies: MetadataCopies, asked: RecordFilter) -> list[RecordRow]:
    """The records that are asked for, in the order of the log; without a log those of the last
    snapshot."""
    joined = join_copies(copies.nodes)
    names, replay = Names(), MetadataReplay()
    for snapshot in joined.snapshots:
        for one in snapshot.records:
            names.learn(one)
    if not len(joined.marks):
        parts = joined.snapshots[-1:] or [part for _, _, part in copies.files][-1:]
        rows = list(_rows_of([one for part in parts for one in part.records], names, replay, is_base=True))
    else:
        rows = list(_rows_of(joined.records, names, replay))
        rows += [
            RecordRow(one, record_sentence(one, names.topics), names.topic_of(one), is_void=True)
            for one in joined.void
        ]
    return [one for one in rows if asked.wants(one)]


def _rows_of(
    records: Sequence[MetadataRecord], names: Names, replay: MetadataReplay, *, is_base: bool = False
) -> Iterator[RecordRow]:
    for one in records:
        names.learn(one)
        said = one.fields or {}
        old: PartitionRegistration | None = None
        if one.name == "PARTITION_CHANGE_RECORD" and said:
            old = replay.partitions.get((said["topicId"], said["partitionId"]))
        yield RecordRow(
            one, record_sentence(one, names.topics, old), names.topic_of(one), is_in_snapshot=is_base
        )
        if one.fields is not None:
            replay.apply_record(one)
