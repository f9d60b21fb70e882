"""Segments and checkpoints of the metadata log: bytes in, records out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.kafka.metadata_log.batches import (
    BEFORE_LENGTH,
    CODEC,
    CONTROL,
    HEADER_BYTES,
    LARGEST_BATCH,
    LATEST_MS,
    LOG_APPEND_TIME,
    BatchBlock,
    FileEnd,
    read_batch_blocks,
)
from pipeline.kafka.metadata_log.checksums import Bytes
from pipeline.kafka.metadata_log.decoding import (
    BadBytes,
    Decoded,
    decode_control,
    decode_value,
    read_zigzag,
)
from pipeline.kafka.metadata_log.hiding import hide_secrets
from pipeline.kafka.reading.masking import Masking

SEGMENT, SNAPSHOT, DUMP = "segment", "snapshot", "dump"
CHECKPOINT = re.compile(r"(?P<offset>0\d{19})-(?P<epoch>[01]\d{9})\.checkpoint(?:\.gz|\.zst)?$")
NO_OP_RECORD = "NO_OP_RECORD"
NO_OPS = np.dtype([("offset", "i8"), ("epoch", "i4"), ("at_ms", "i8")])
MOST_ASKED = 50  # batches that a file is judged by


@dataclass(slots=True)
class MetadataRecord:
    """One record. `byte`: where it begins, of a batch not read where that begins; of a dump its line. `offset`: in
    the log, of a snapshot among its own records. `at_ms`: by the clock of the active controller. `name`, `version`,
    `fields`: as kafka-dump-log prints them, without secrets. `reason`: why it is not understood (NOT_UNDERSTOOD)."""

    byte: int
    offset: int
    epoch: int
    at_ms: int
    batch_offset: int
    place: int
    name: str | None
    version: int | None
    fields: dict[str, Any] | None
    reason: str | None = None


@dataclass(slots=True)
class MetadataPart:
    """What one file, or one of the files of a dump, holds. `no_ops`: NoOp records (NO_OPS), which stand in no list.
    `snapshot`: the offset behind the last record that it stands for, and its epoch. `missing`: offsets that are not
    there, as (expected, found). `last_batch`: byte of the last batch that is read."""

    form: str
    records: list[MetadataRecord] = field(default_factory=list)
    no_ops: NDArray[np.void] = field(default_factory=lambda: np.empty(0, NO_OPS))
    snapshot: tuple[int, int] | None = None
    end: FileEnd | None = None
    missing: list[tuple[int, int]] = field(default_factory=list)
    source: str = ""
    last_batch: int | None = None

    @property
    def is_whole_snapshot(self) -> bool:
        return self.form == SNAPSHOT and any(one.name == "SNAPSHOT_FOOTER" for one in self.records)


def is_metadata_log(data: Bytes) -> bool:
    """True if its first batch that can be read holds a record of the controllers or of their quorum. Segments of topics
    have the same form, and are people's own."""
    for block in read_batch_blocks(data[: LARGEST_BATCH + HEADER_BYTES]):
        for place, header in list(zip(block.places.tolist(), block.headers, strict=True))[:MOST_ASKED]:
            try:
                decoded = [one[-1] for one in _batch_records(data, place, header)]
            except BadBytes:
                continue
            return bool(decoded) and decoded[0][3] is None
        return False
    return False


def read_metadata_file(data: Bytes, name: str, masking: Masking | None = None) -> MetadataPart:
    """All records of a segment or checkpoint. name: of the file, which tells a checkpoint."""
    named = CHECKPOINT.search(name)
    part = MetadataPart(SNAPSHOT if ".checkpoint" in name else SEGMENT, source=name)
    part.snapshot = (int(named["offset"]), int(named["epoch"])) if named else None
    no_ops: list[NDArray[np.void]] = []
    expected: int | None = None
    for block in read_batch_blocks(data):
        expected = _note_missing(part, block, expected)
        part.last_batch = int(block.places[-1]) if len(block.places) else part.last_batch
        no_ops.append(_no_ops_of(block))
        for row in np.flatnonzero(~block.is_no_op).tolist():
            records = _records_of_batch(data, int(block.places[row]), block.headers[row], masking)
            part.records += [one for one in records if not _is_plain_no_op(one)]
            said = [(one.offset, one.epoch, one.at_ms) for one in records if _is_plain_no_op(one)]
            if said:
                no_ops.append(np.array(said, NO_OPS))
        part.end = block.end
    found = np.concatenate([*no_ops, np.empty(0, NO_OPS)])
    part.no_ops = found[np.argsort(found["offset"], kind="stable")]
    return part


def _note_missing(part: MetadataPart, block: BatchBlock, expected: int | None) -> int | None:
    if not len(block.places):
        return expected
    first = block.headers["base_offset"].astype(np.int64)
    behind = first + block.headers["last_delta"] + 1
    wanted = np.concatenate([[first[0] if expected is None else expected], behind[:-1]])
    for row in np.flatnonzero(first != wanted).tolist():
        part.missing.append((int(wanted[row]), int(first[row])))
    return int(behind[-1])


def _no_ops_of(block: BatchBlock) -> NDArray[np.void]:
    own = block.headers[block.is_no_op]
    found = np.empty(len(own), NO_OPS)
    found["offset"], found["epoch"], found["at_ms"] = own["base_offset"], own["epoch"], own["base_at"]
    return found


def _is_plain_no_op(one: MetadataRecord) -> bool:
    return one.name == NO_OP_RECORD and one.reason is None and not one.fields


def _records_of_batch(
    data: Bytes, place: int, header: np.void, masking: Masking | None
) -> list[MetadataRecord]:
    """The records of a batch; one that says why where it has none that can be told apart."""
    base, epoch = int(header["base_offset"]), int(header["epoch"])
    try:
        return [
            MetadataRecord(
                byte,
                base + delta,
                epoch,
                at_ms,
                base,
                number,
                name,
                version,
                fields if fields is None or name is None else hide_secrets(name, fields, masking),
                reason,
            )
            for number, (byte, delta, at_ms, (name, version, fields, reason)) in enumerate(
                list(_batch_records(data, place, header))
            )
        ]
    except BadBytes as problem:
        at_ms = min(max(int(header["base_at"]), 0), LATEST_MS)
        reason = "compressed" if isinstance(problem, Compressed) else "bad_bytes"
        return [MetadataRecord(place, base, epoch, at_ms, base, 0, None, None, None, reason)]


class Compressed(BadBytes):
    """A batch that is compressed, which none of this log is (KafkaRaftClient writes with Compression.NONE): a few bytes
    of one unpack to millions of records."""


def _batch_records(data: Bytes, place: int, header: np.void) -> Iterator[tuple[int, int, int, Decoded]]:
    """Of each record of a batch its byte, its offset behind that of the batch, its time, and what it says. BadBytes:
    they cannot be told apart."""
    size = int(header["length"]) + BEFORE_LENGTH
    attributes = int(header["attributes"])
    if attributes & CODEC:
        raise Compressed("a batch that Kafka did not write")
    body = data[place + HEADER_BYTES : place + size].tobytes()
    count, last = int(header["count"]), int(header["last_delta"])
    if not 0 <= count <= len(body):
        raise BadBytes(f"{count} records")
    base_at = int(header["max_at"] if attributes & LOG_APPEND_TIME else header["base_at"])
    at, before = 0, -1
    for _ in range(count):
        begin = at
        at, later, delta, key, value = _framed_record(body, at)
        at_ms = base_at if attributes & LOG_APPEND_TIME else base_at + later
        if not (before < delta <= last and 0 <= at_ms <= LATEST_MS):
            raise BadBytes("an offset or a time that the batch does not have")
        before = delta
        decoded: Decoded = (None, None, None, "bad_bytes")
        if value is not None:
            is_control = bool(attributes & CONTROL)
            decoded = decode_control(key or b"", value) if is_control else decode_value(value)
        yield place + HEADER_BYTES + begin, delta, at_ms, decoded
    if at != len(body):
        raise BadBytes("bytes behind the last record")


Framed = tuple[int, int, int, bytes | None, bytes | None]


def _framed_record(body: bytes, at: int) -> Framed:
    """Where a record ends, its time and offset behind those of the batch, its key and its value."""
    try:
        size, at = read_zigzag(body, at)
        end = at + size
        if size < 0 or end > len(body):
            raise BadBytes("a record longer than its batch")
        later, at = read_zigzag(body, at + 1)
        delta, at = read_zigzag(body, at)
        key, at = _sized(body, at, end)
        value, at = _sized(body, at, end)
    except IndexError as problem:
        raise BadBytes("cut short") from problem
    return end, later, delta, key, value


def _sized(body: bytes, at: int, end: int) -> tuple[bytes | None, int]:
    size, at = read_zigzag(body, at)
    if size < 0:
        return None, at
    if at + size > end:
        raise BadBytes("longer than its record")
    return body[at : at + size], at + size
