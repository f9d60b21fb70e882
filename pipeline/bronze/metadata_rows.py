"""What is read of a copy of the metadata log as rows: records that no other copy had, and stretches of offsets."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.kafka.metadata_log.segment import NO_OPS, SNAPSHOT, MetadataPart, MetadataRecord

CONTROLS = ("LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS")
Row = dict[str, Any]


@dataclass
class Coverage:
    """Which offsets of which epoch are read of any copy: by epoch stretches as (first, last)."""

    stretches: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of_parts(cls, parts: pl.DataFrame) -> "Coverage":
        """parts: bronze.metadata_part."""
        found = cls()
        log = parts.filter(pl.col("snapshot_offset").is_null())
        for epoch, first, last in log.select("controller_epoch", "first_offset", "last_offset").iter_rows():
            found.add(epoch, first, last)
        return found

    def add(self, epoch: int, first: int, last: int) -> None:
        self.stretches[epoch].append((first, last))

    def holds(self, records: Sequence[MetadataRecord]) -> NDArray[np.bool_]:
        """Of each record whether it is read."""
        found = np.zeros(len(records), np.bool_)
        offsets = np.array([one.offset for one in records], np.int64)
        epochs = np.array([one.epoch for one in records], np.int64)
        for epoch in np.unique(epochs).tolist():
            merged = merged_stretches(self.stretches.get(epoch, ()))
            if not merged:
                continue
            begins, ends = (np.array(one, np.int64) for one in zip(*merged, strict=True))
            own = epochs == epoch
            place = np.searchsorted(begins, offsets[own], "right") - 1
            found[own] = (place >= 0) & (offsets[own] <= ends[np.maximum(place, 0)])
        return found


def merged_stretches(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches (first, last) in order, those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(stretches):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


def record_row(one: MetadataRecord, snapshot_offset: int | None, copy: Row) -> Row:
    """A row of bronze.metadata_record; copy: cluster_id, file_id, load_seq."""
    is_said = one.fields is not None and one.reason is None
    return {
        **copy,
        "byte_offset": one.byte,
        "form": "segment" if snapshot_offset is None else SNAPSHOT,
        "snapshot_offset": snapshot_offset,
        "record_offset": one.offset,
        "batch_offset": one.batch_offset,
        "place_in_batch": one.place,
        "controller_epoch": one.epoch,
        "appended_at": moment_of(one.at_ms),
        "type": one.name,
        "version": one.version,
        "fields": json.dumps(one.fields, separators=(",", ":")) if is_said else None,
        "not_understood_reason": None if is_said else one.reason or "bad_bytes",
    }


def stretch_rows(part: MetadataPart, kept: Sequence[MetadataRecord], copy: Row) -> list[Row]:
    """Rows of bronze.metadata_part of a segment; copy: all that is said of the file."""
    marks = _marks_of(part)
    if not len(marks):
        return []
    offset, epoch = marks["offset"], marks["epoch"]
    cuts = np.flatnonzero((np.diff(offset) != 1) | (np.diff(epoch) != 0)) + 1
    rows = [_stretch_row(marks[a:b], copy) for a, b in pairwise([0, *cuts.tolist(), len(marks)])]
    controls = [one for one in part.records if one.name in CONTROLS]
    told = [("no_op_count", part.no_ops), ("control_count", _marks_of_records(controls))]
    told.append(("kept_count", _marks_of_records(kept)))
    for row in rows:
        first, last, own_epoch = row["first_offset"], row["last_offset"], row["controller_epoch"]
        for name, some in told:
            is_within = (some["offset"] >= first) & (some["offset"] <= last)
            row[name] = int((is_within & (some["epoch"] == own_epoch)).sum())
        own = [one for one in controls if one.epoch == own_epoch and first <= one.offset <= last]
        row["controller_id"], row["voter_ids"] = _leader_and_voters(own)
    rows[-1]["ended_how"] = part.end.kind if part.end else None
    return rows


def snapshot_row(part: MetadataPart, copy: Row, *, is_base: bool) -> Row:
    """A row of bronze.metadata_part of a checkpoint."""
    end, epoch = part.snapshot or (0, 0)
    times = [one.at_ms for one in part.records] or [0]
    return {
        **copy,
        "is_base": is_base,
        "snapshot_offset": end,
        "controller_epoch": epoch,
        "first_offset": end,
        "last_offset": end,
        "first_at": moment_of(min(times)),
        "last_at": moment_of(max(times)),
        "record_count": len(part.records) + len(part.no_ops),
        "no_op_count": len(part.no_ops),
        "control_count": sum(one.name in CONTROLS for one in part.records),
        "kept_count": len(part.records) if is_base else 0,
        "controller_id": None,
        "voter_ids": None,
        "longest_silence_ms": 0,
        "ended_how": None,
    }


def moment_of(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def _stretch_row(marks: NDArray[np.void], copy: Row) -> Row:
    at = marks["at_ms"]
    return {
        **copy,
        "is_base": False,
        "snapshot_offset": None,
        "controller_epoch": int(marks["epoch"][0]),
        "first_offset": int(marks["offset"][0]),
        "last_offset": int(marks["offset"][-1]),
        "first_at": moment_of(int(at.min())),
        "last_at": moment_of(int(at.max())),
        "record_count": len(marks),
        "longest_silence_ms": int(max(np.diff(at).max(), 0)) if len(at) > 1 else 0,
        "ended_how": None,
    }


def _leader_and_voters(controls: Sequence[MetadataRecord]) -> tuple[int | None, list[int] | None]:
    leader, voters = None, None
    for one in controls:
        said = one.fields or {}
        if one.name == "LEADER_CHANGE":
            leader = said.get("leaderId", leader)
        if one.name in ("LEADER_CHANGE", "KRAFT_VOTERS") and said.get("voters"):
            voters = [voter["voterId"] for voter in said["voters"]]
    return leader, voters


def _marks_of(part: MetadataPart) -> NDArray[np.void]:
    marks = np.concatenate([_marks_of_records(part.records), part.no_ops])
    return marks[np.argsort(marks["offset"], kind="stable")]


def _marks_of_records(records: Sequence[MetadataRecord]) -> NDArray[np.void]:
    return np.array([(one.offset, one.epoch, one.at_ms) for one in records], NO_OPS)
