"""What the metadata log alone answers of a cluster: replayed once, asked by screens and documents."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from jobs.metadata.files import MetadataCopies
from pipeline.kafka.machines.registrations import (
    BROKER_REGISTRATION,
    GONE,
    PARTITION_REGISTRATION,
    SHUT_DOWN,
)
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.broker_replay import GAP, ILLEGAL, VALID
from pipeline.model.metadata.history import replay_log
from pipeline.model.metadata.intervals import (
    RecordedOutage,
    RecordedSession,
    recorded_outages,
    recorded_sessions,
)
from pipeline.model.metadata.joining import JoinedLog, Silence, find_silences, join_copies
from pipeline.model.metadata.replay import MetadataReplay
from pipeline.model.metadata.states import PartitionRegistration


@dataclass
class RecordedCluster:
    """A cluster on record. `copies`: what was read."""

    cluster_id: str
    copies: MetadataCopies
    joined: JoinedLog = field(init=False)
    replay: MetadataReplay = field(init=False)

    def __post_init__(self) -> None:
        self.joined = join_copies(self.copies.nodes)
        self.replay = replay_log(self.joined)

    @cached_property
    def outages(self) -> list[RecordedOutage]:
        return recorded_outages(self.replay)

    @cached_property
    def sessions(self) -> list[RecordedSession]:
        return recorded_sessions(self.replay.registrations)

    @cached_property
    def silences(self) -> list[Silence]:
        return find_silences(self.joined)

    @property
    def leaderless(self) -> list[PartitionRegistration]:
        """At the end of the log."""
        found = [one for one in self.replay.partitions.values() if one.leader is not None and one.leader < 0]
        return sorted(found, key=lambda one: (one.topic or "", one.partition))

    @property
    def elsewhere(self) -> int:
        """Partitions that another than their preferred leader leads at the end."""
        return sum(
            one.leader is not None
            and one.leader >= 0
            and bool(one.replicas)
            and one.leader != one.replicas[0]
            for one in self.replay.partitions.values()
            if one.replicas
        )

    @property
    def is_stopped(self) -> bool:
        """True if every broker ended with a shutdown that was granted, or was taken out."""
        brokers = self.replay.brokers.values()
        return bool(brokers) and all(one.state in (SHUT_DOWN, GONE) for one in brokers)

    @property
    def lossy(self) -> list[tuple[PartitionRegistration, PartitionRegistration]]:
        """Unclean elections but those of the last leader that is known, which has all records that survived."""
        return [
            (old, new) for old, new in self.replay.unclean if new.leader not in (old.last_known_elr or [])
        ]

    @cached_property
    def elections(self) -> Counter[str]:
        """By cause; a partition that is created has none."""
        return Counter(one.cause for one in self.replay.states if one.is_elected and one.cause)

    @cached_property
    def verdicts(self) -> Counter[tuple[str, str]]:
        return Counter((one.machine, one.verdict) for one in self.replay.judged.moves)

    @property
    def node_ids(self) -> list[int]:
        return sorted({one.node_id for one in self.copies.nodes if one.node_id is not None})

    @property
    def times_ms(self) -> tuple[int, int] | None:
        """Of the first record and of the last."""
        at = self.joined.marks["at_ms"]
        return (int(at.min()), int(at.max())) if len(at) else None

    def is_sound(self) -> bool:
        """True if nothing in it is what no release of Kafka writes."""
        judged = self.replay.judged
        illegal = any(one.verdict == ILLEGAL for one in judged.moves)
        return not (illegal or judged.broken or self.copies.problems)

    def move_text(self) -> str:
        """illegal 0, broken rules 0, undecided 0, valid 923 of brokers and 20,773 of partitions."""
        counts = self.verdicts
        kinds = (BROKER_REGISTRATION, PARTITION_REGISTRATION)
        illegal, gaps = (sum(counts[kind, one] for kind in kinds) for one in (ILLEGAL, GAP))
        valid = [f"{counts[kind, VALID]:,}" for kind in kinds]
        return (
            f"illegal {illegal:,}, broken rules {len(self.replay.judged.broken):,}, undecided {gaps:,}, "
            f"valid {valid[0]} of brokers and {valid[1]} of partitions"
        )

    def short_move_text(self) -> str:
        """illegal 0, undecided 0, valid 2,163."""
        counts = self.verdicts
        illegal, gaps, valid = (
            sum(count for (_, verdict), count in counts.items() if verdict == wanted)
            for wanted in (ILLEGAL, GAP, VALID)
        )
        return f"illegal {illegal + len(self.replay.judged.broken):,}, undecided {gaps:,}, valid {valid:,}"

    def changes(self, *names: str) -> list[MetadataRecord]:
        return [one for one in self.replay.changes if one.name in names]
