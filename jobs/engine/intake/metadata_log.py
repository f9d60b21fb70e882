"""Reads what is new in copies of the metadata log: each record once, however many nodes have it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

import polars as pl
import pyarrow as pa
from polars import col

from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.metadata_bytes import NO_METADATA, bytes_of_copy, node_of_copy
from jobs.engine.intake.segments import driver_time_as_utc
from jobs.settings.model import Settings
from pipeline.bronze.metadata_rows import Coverage, Row, record_row, snapshot_row, stretch_rows
from pipeline.core.conditions import IsNull, column_before, column_since
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.stored_tables import ReadableTables, SegmentTables
from pipeline.kafka.metadata_log.batches import DAMAGED, HEADER, HEADER_BYTES
from pipeline.kafka.metadata_log.segment import (
    CHECKPOINT,
    MetadataPart,
    MetadataRecord,
    is_metadata_log,
    read_metadata_file,
)
from pipeline.model.metadata.same_log import SameLog
from pipeline.model.metadata.stretches import base_offsets
from schemas.bronze import metadata_part, metadata_record

COMPARED = 200  # records of a file that another one had before which are held against those
OTHER_RECORDS = "it says other than what was read of this cluster before: of another cluster, or damaged"


@dataclass
class MetadataLoad:
    """Rows of bronze.metadata_record and bronze.metadata_part of one load; refused: path, and why it is not read."""

    records: list[Row] = field(default_factory=list)
    parts: list[Row] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    def record_table(self) -> pa.Table:
        return pa.Table.from_pylist(self.records, schema=metadata_record.SPEC.arrow)

    def part_table(self) -> pa.Table:
        return pa.Table.from_pylist(self.parts, schema=metadata_part.SPEC.arrow)


class MetadataLoader:
    """The reading of one run on one cluster."""

    def __init__(self, cluster_id: str, settings: Settings, tables: ReadableTables, load_seq: int) -> None:
        self.cluster_id, self.settings, self.tables, self.load_seq = cluster_id, settings, tables, load_seq
        self.masking = settings.masking.rules()
        is_known = tables.has_rows(metadata_part.SPEC)
        self.stored = (
            frame_of(tables.read(metadata_part.SPEC)) if is_known else empty_frame(metadata_part.SPEC)
        )
        self.coverage = Coverage.of_parts(self.stored)
        clusters = self.stored["log_cluster_id"].drop_nulls()
        self.same = SameLog(clusters[0] if len(clusters) else None)
        self.load = MetadataLoad()

    def read(self, candidates: Sequence[Candidate]) -> MetadataLoad:
        """Of files that are new or grew what is new; of checkpoints those that the log needs as its base, and the
        newest, up to which all is committed."""
        ordered = sorted(candidates, key=lambda one: one.listed.path)
        logs = [one for one in ordered if ".checkpoint" not in one.listed.path]
        for one in logs:
            if not self.is_unchanged(one):
                self.attempt(one)
        found = {
            (int(named["offset"]), one.listed.path): one
            for one in ordered
            if (named := CHECKPOINT.search(one.listed.path))
        }
        self.read_checkpoints({offset: found[offset, path] for offset, path in sorted(found, reverse=True)})
        return self.load

    def read_checkpoints(self, checkpoints: dict[int, Candidate]) -> None:
        parts = pl.concat([self.stored, frame_of(self.load.part_table())])
        known = set(parts["snapshot_offset"].drop_nulls().to_list())
        kept = parts.filter("is_base")["snapshot_offset"].to_list()
        offsets = sorted({*checkpoints, *kept})
        wanted = base_offsets(parts, [one for one in offsets if one > 0])
        for offset in sorted(wanted - set(kept)):
            self.attempt(checkpoints[offset], is_base=True)
        newest = max(checkpoints, default=0)
        if newest > max(known | wanted, default=0):
            self.attempt(checkpoints[newest])

    def attempt(self, one: Candidate, *, is_base: bool = False) -> None:
        try:
            why = self.read_file(one, is_base=is_base)
        except (OSError, EOFError) as problem:
            why = str(problem)[:200] or type(problem).__name__
        if why is not None:
            self.load.refused.append((self.shown(one), why))

    def read_file(self, one: Candidate, *, is_base: bool) -> str | None:
        """Why it is not read; None: it is."""
        head = bytes_of_copy(one, self.settings, 0, HEADER_BYTES)
        if len(head) < HEADER_BYTES:
            return None
        node_id, cluster, folder = node_of_copy(one)
        file_id, start = self.place_of(
            one, head.view(HEADER)[0], f"{node_id}" if node_id is not None else folder
        )
        data = bytes_of_copy(one, self.settings, start)
        if not start and not is_metadata_log(data):
            return NO_METADATA
        name = PurePosixPath(one.listed.path).name
        part = behind_start(read_metadata_file(data, name, self.masking), start)
        if part.last_batch is None:
            is_damaged = part.end is not None and part.end.kind == DAMAGED
            return f"{part.end.sentence} at byte {part.end.at:,}" if is_damaged and part.end else None
        if (other := self.same.take_file(self.shown(one), cluster, [part])) is not None:
            return other
        copy: Row = {"cluster_id": self.cluster_id, "file_id": file_id, "load_seq": self.load_seq}
        whole = copy | {
            "node_id": node_id,
            "log_cluster_id": cluster,
            "path": self.shown(one),
            "size_bytes": one.listed.size_bytes,
            "modified_at": one.listed.modified_at,
            "form": "segment" if part.snapshot is None else "snapshot",
            "last_batch_byte": part.last_batch,
            "consumed_bytes": part.end.at if part.end else start + len(data),
        }
        if part.snapshot is not None:
            return self.take_snapshot(part, copy, whole, is_base=is_base)
        return self.take_records(part, copy, whole, is_resumed=start > 0)

    def take_records(self, part: MetadataPart, copy: Row, whole: Row, *, is_resumed: bool) -> str | None:
        is_known = self.coverage.holds(part.records)
        known = [one for one, is_one in zip(part.records, is_known, strict=True) if is_one]
        if not is_resumed and self.differs_from_stored(known[:COMPARED]):
            return OTHER_RECORDS
        kept = [one for one, is_one in zip(part.records, is_known, strict=True) if not is_one]
        self.load.records += [record_row(one, None, copy) for one in kept]
        rows = stretch_rows(part, kept, whole)
        for row in rows:
            self.coverage.add(row["controller_epoch"], row["first_offset"], row["last_offset"])
        self.load.parts += rows
        return None

    def take_snapshot(self, part: MetadataPart, copy: Row, whole: Row, *, is_base: bool) -> str | None:
        if not part.is_whole_snapshot:
            return "a snapshot without its end: it is not whole"
        offset = (part.snapshot or (0, 0))[0]
        if is_base:
            self.load.records += [record_row(one, offset, copy) for one in part.records]
        self.load.parts.append(snapshot_row(part, whole, is_base=is_base))
        return None

    def differs_from_stored(self, records: Sequence[MetadataRecord]) -> bool:
        """True if one of them stands otherwise among those that an earlier run read."""
        if not records or self.stored.is_empty():
            return False
        first, last = records[0].offset, records[-1].offset
        asked = column_since("record_offset", first) & column_before("record_offset", last + 1)
        names = ("record_offset", "controller_epoch", "type", "fields")
        rows = frame_of(self.tables.read(metadata_record.SPEC, asked & IsNull("snapshot_offset"), names))
        stored = {(offset, epoch): (kind, said) for offset, epoch, kind, said in rows.iter_rows()}
        for one in records:
            row = record_row(one, None, {})
            known = stored.get((one.offset, one.epoch))
            if known is not None and known != (row["type"], row["fields"]):
                return True
        return False

    def place_of(self, one: Candidate, head: Any, owner: str) -> tuple[str, int]:
        """The identity of a file, and the byte that it is read on from; 0: from its begin, as it is new or other than
        it was read."""
        named = f"{self.cluster_id}|{owner}|{PurePosixPath(one.listed.path).suffixes[0]}"
        told = f"{named}|{int(head['base_offset'])}|{int(head['epoch'])}|{int(head['base_at'])}"
        for number in range(len(self.stored) + 1):
            file_id = hashlib.sha256(f"{told}|{number}".encode()).hexdigest()[:16]
            rows = self.stored.filter(col("file_id") == file_id).sort("load_seq", "first_offset")
            if rows.is_empty():
                break
            last = rows.row(-1, named=True)
            batch = bytes_of_copy(one, self.settings, last["last_batch_byte"], HEADER_BYTES)
            if len(batch) == HEADER_BYTES and is_batch_of(batch.view(HEADER)[0], last):
                return file_id, last["consumed_bytes"]
        return file_id, 0

    def is_unchanged(self, one: Candidate) -> bool:
        rows = self.stored.filter(col("path") == self.shown(one)).sort("load_seq")
        if rows.is_empty():
            return False
        last = rows.row(-1, named=True)
        is_same = driver_time_as_utc(last["modified_at"]) == one.listed.modified_at
        return is_same and last["size_bytes"] == one.listed.size_bytes

    def shown(self, one: Candidate) -> str:
        return one.listed.path if self.masking is None else self.masking.path(one.listed.path)


def forget_broken_loads(tables: SegmentTables) -> tuple[int, ...]:
    """Takes out loads of which a table has lost rows, as after a repair: their files are read anew. Their numbers."""
    if not tables.has_rows(metadata_part.SPEC):
        return ()
    parts = frame_of(tables.read(metadata_part.SPEC, None, ("load_seq", "kept_count")))
    kept = parts.group_by("load_seq").agg(stated=col("kept_count").sum())
    rows = empty_frame(metadata_record.SPEC).select("load_seq")
    if tables.has_rows(metadata_record.SPEC):
        rows = frame_of(tables.read(metadata_record.SPEC, None, ("load_seq",)))
    both = kept.join(rows.group_by("load_seq").len(), on="load_seq", how="full", coalesce=True)
    is_broken = col("stated").is_null() | (col("stated") != col("len").fill_null(0))
    broken = tuple(both.filter(is_broken)["load_seq"].sort().to_list())
    if broken:
        for spec in (metadata_record.SPEC, metadata_part.SPEC):
            tables.delete_segments(spec, broken)
    return broken


def is_batch_of(header: Any, row: Row) -> bool:
    """Whether the last batch that was read of a file stands there still."""
    last = int(header["base_offset"]) + int(header["last_delta"])
    return (last, int(header["epoch"])) == (row["last_offset"], row["controller_epoch"])


def behind_start(part: MetadataPart, start: int) -> MetadataPart:
    """Of bytes from `start` on the places in the file."""
    for one in part.records:
        one.byte += start
    part.last_batch = None if part.last_batch is None else part.last_batch + start
    part.end = None if part.end is None else replace(part.end, at=part.end.at + start)
    return part
