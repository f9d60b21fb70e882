"""One metadata log out of the copies that several nodes have of it: each record once, void ones left out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipeline.kafka.metadata_log.segment import NO_OPS, SNAPSHOT, MetadataPart, MetadataRecord

CONTROLS = ("LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS")
IDLE_MS = 1500  # an active controller appends at least each metadata.max.idle.interval.ms, 500
BY_SNAPSHOT, BY_EPOCH, BY_MAJORITY = "snapshot", "epoch", "majority"


@dataclass(frozen=True, slots=True)
class EpochStart:
    """Where an epoch begins. `leader`: its controller, None where the log does not say."""

    epoch: int
    offset: int
    at_ms: int
    leader: int | None


@dataclass(frozen=True, slots=True)
class Silence:
    """A stretch in which nothing was appended, though an active controller appends all the time."""

    from_ms: int
    until_ms: int
    epoch_before: int
    epoch_after: int
    offset_before: int


@dataclass
class NodeParts:
    """What one node has of the log, or one dump. `node_id`: None where nothing tells it."""

    node_id: int | None
    parts: list[MetadataPart]


@dataclass
class JoinedLog:
    """The log of a cluster. `records`: in the order of offsets, NoOps apart; `marks`: offset, epoch and time of all
    (NO_OPS); `void`: records of an epoch that a later one made void. `certain_until`: the last offset that is committed
    for certain, -1 if nothing proves any, and `certain_by` what does. `missing`: offsets that no copy has.
    """

    records: list[MetadataRecord] = field(default_factory=list)
    marks: NDArray[np.void] = field(default_factory=lambda: np.empty(0, NO_OPS))
    snapshots: list[MetadataPart] = field(default_factory=list)
    void: list[MetadataRecord] = field(default_factory=list)
    void_count: int = 0
    missing: list[tuple[int, int]] = field(default_factory=list)
    epochs: list[EpochStart] = field(default_factory=list)
    certain_until: int = -1
    certain_by: str | None = None

    @property
    def first_offset(self) -> int:
        return int(self.marks["offset"][0])

    @property
    def last_offset(self) -> int:
        return int(self.marks["offset"][-1])


def join_copies(nodes: Sequence[NodeParts]) -> JoinedLog:
    """The copies of several nodes as one log."""
    parts = [one for node in nodes for one in node.parts]
    logs = [one for one in parts if one.form != SNAPSHOT]
    joined = JoinedLog(snapshots=sorted(_whole_snapshots(parts), key=lambda one: one.snapshot or (0, 0)))
    marks = np.concatenate([np.empty(0, NO_OPS), *map(marks_of_part, logs)])
    if not len(marks):
        _add_snapshots(joined)
        return joined
    marks = marks[np.lexsort((-marks["epoch"].astype(np.int64), marks["offset"]))]
    limits = _epoch_limits(marks)
    is_void = marks["offset"] >= _limit_of(marks["epoch"], limits)
    joined.void_count = len(np.unique(marks[is_void]))
    kept = marks[~is_void]
    joined.marks = kept[np.concatenate([[True], np.diff(kept["offset"]) != 0])]
    _take_records(joined, logs, limits)
    offsets = joined.marks["offset"]
    for row in np.flatnonzero(np.diff(offsets) > 1).tolist():
        joined.missing.append((int(offsets[row]) + 1, int(offsets[row + 1])))
    joined.epochs = _epoch_starts(joined)
    _add_snapshots(joined)
    _add_epochs(joined)
    _add_majority(joined, nodes)
    return joined


def marks_of_part(part: MetadataPart) -> NDArray[np.void]:
    """Offset, epoch and time of every record of a part, NoOps among them."""
    said = [(one.offset, one.epoch, one.at_ms) for one in part.records]
    return np.concatenate([np.array(said, NO_OPS), part.no_ops])


def find_silences(joined: JoinedLog) -> list[Silence]:
    """Where nobody was the active controller, or it stood still."""
    at, epoch, offset = (joined.marks[name] for name in ("at_ms", "epoch", "offset"))
    rows = np.flatnonzero((np.diff(at) > IDLE_MS) & (np.diff(offset) == 1))
    return [
        Silence(int(at[row]), int(at[row + 1]), int(epoch[row]), int(epoch[row + 1]), int(offset[row]))
        for row in rows.tolist()
    ]


def _whole_snapshots(parts: Iterable[MetadataPart]) -> list[MetadataPart]:
    """Each once; one without its footer is not whole, and the bootstrap snapshot stands for no offset."""
    found = {one.snapshot: one for one in parts if one.is_whole_snapshot and one.snapshot is not None}
    return [one for key, one in found.items() if key is not None and key[0] > 0]


Limits = tuple[NDArray[np.int64], NDArray[np.int64]]


def _epoch_limits(marks: NDArray[np.void]) -> Limits:
    """The epochs there are, and for each the offset that its records end before: where any later one begins."""
    by_epoch = marks[np.argsort(marks["epoch"], kind="stable")]
    epochs, rows = np.unique(by_epoch["epoch"].astype(np.int64), return_index=True)
    begins = np.minimum.reduceat(by_epoch["offset"], rows)
    behind = np.concatenate([begins[1:], [np.iinfo(np.int64).max]])
    return epochs, np.minimum.accumulate(behind[::-1])[::-1]


def _limit_of(epochs: NDArray[np.int32], limits: Limits) -> NDArray[np.int64]:
    return limits[1][np.searchsorted(limits[0], epochs)]


def _take_records(joined: JoinedLog, logs: Sequence[MetadataPart], limits: Limits) -> None:
    known, ends = dict(zip(limits[0].tolist(), limits[1].tolist(), strict=True)), {}
    for part in logs:
        for one in part.records:
            place = one.offset, one.epoch
            if place not in ends:
                ends[place] = one
    for (offset, epoch), one in sorted(ends.items()):
        (joined.void if offset >= known[epoch] else joined.records).append(one)


def _epoch_starts(joined: JoinedLog) -> list[EpochStart]:
    leaders = {
        one.epoch: (one.fields or {}).get("leaderId")
        for one in reversed(joined.records)
        if one.name == "LEADER_CHANGE"
    }
    epochs, rows = np.unique(joined.marks["epoch"], return_index=True)
    return [
        EpochStart(
            epoch,
            int(joined.marks["offset"][row]),
            int(joined.marks["at_ms"][row]),
            leaders.get(epoch),
        )
        for epoch, row in zip(epochs.tolist(), rows.tolist(), strict=True)
        if epoch >= 0  # records that were copied without the lines of their batches have none
    ]


def _prove(joined: JoinedLog, offset: int, by: str) -> None:
    if offset > joined.certain_until:
        joined.certain_until, joined.certain_by = offset, by


def _add_snapshots(joined: JoinedLog) -> None:
    """Only what is committed goes into a snapshot."""
    for one in joined.snapshots:
        _prove(joined, (one.snapshot or (0, 0))[0] - 1, BY_SNAPSHOT)


def _add_epochs(joined: JoinedLog) -> None:
    """A controller works only once its own LeaderChange is committed: KafkaRaftClient.maybeFireLeaderChange."""
    control = [one.offset for one in joined.records if one.name in CONTROLS]
    is_work = ~np.isin(joined.marks["offset"], np.array(control, np.int64))
    working = set(joined.marks["epoch"][is_work].tolist())
    last = next((one for one in reversed(joined.epochs) if one.epoch in working), None)
    if last is not None:
        _prove(joined, last.offset, BY_EPOCH)


def _add_majority(joined: JoinedLog, nodes: Sequence[NodeParts]) -> None:
    """What more than half of the voters have of the log is committed."""
    voters = _voters(joined)
    ends = []
    known = joined.marks[["offset", "epoch"]].copy()
    for node in nodes:
        logs = [one for one in node.parts if one.form != SNAPSHOT]
        if node.node_id in voters and logs:
            own = np.concatenate([marks_of_part(one) for one in logs])[["offset", "epoch"]].copy()
            shared = own["offset"][np.isin(own, known)]
            ends.append(int(shared.max()) if len(shared) else -1)
    if len(ends) * 2 > len(voters):
        _prove(joined, sorted(ends, reverse=True)[len(voters) // 2], BY_MAJORITY)


def _voters(joined: JoinedLog) -> set[int]:
    for one in reversed(joined.records):
        if one.name in ("KRAFT_VOTERS", "LEADER_CHANGE") and (one.fields or {}).get("voters"):
            return {voter["voterId"] for voter in (one.fields or {})["voters"]}
    return set()
