"""What kafka-dump-log --cluster-metadata-decoder prints of the metadata log: text in, the same records out."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np

from pipeline.kafka.metadata_log.batches import DAMAGED, LATEST_MS, FileEnd
from pipeline.kafka.metadata_log.decoding import HIDDEN, BadBytes, Decoded
from pipeline.kafka.metadata_log.hiding import hide_secrets
from pipeline.kafka.metadata_log.schemas import RecordField, is_version_in, record_schemas, struct_plan
from pipeline.kafka.metadata_log.segment import (
    DUMP,
    NO_OP_RECORD,
    NO_OPS,
    SNAPSHOT,
    MetadataPart,
    MetadataRecord,
)
from pipeline.kafka.reading.masking import Masking

FIRST_LINES = 20  # among which a dump shows itself
LONGEST_LINE = 16 << 20
FILE = re.compile(r"Dumping (?P<path>.+)")
SNAPSHOT_LINE = re.compile(r"Snapshot end offset: (?P<offset>\d{1,18}), epoch: (?P<epoch>\d{1,9})")
BOOTSTRAP_LINE = "KRaft bootstrap snapshot"
BATCH_WORD = "baseOffset: "
# Atomic, as what is looked for again from each place takes the square of a line's length.
BATCH = re.compile(
    r"baseOffset: (?P<offset>\d{1,18}) (?>.*?partitionLeaderEpoch: )(?P<epoch>-?\d{1,10}) "
    r"(?>.*?position: \d+ )(?:CreateTime|LogAppendTime): (?P<at>-?\d{1,18})"
)
RECORD = re.compile(
    r"\|? ?offset: (?P<offset>\d{1,18}) (?:CreateTime|LogAppendTime): (?P<at>-?\d{1,18}) keySize: -?\d+ "
    r"valueSize: -?\d+(?: sequence: -?\d+ headerKeys: \[.*?\])? ?(?P<said>.*)"
)
BARE = re.compile(r"\| (?P<said>payload: .*|[A-Za-z]+:? \{.*)")
PAYLOAD = re.compile(r"(?:payload: )?(?P<payload>\{.*\})\s*")
CONTROL_TYPE = re.compile(r"controlType: (?P<name>[A-Z_]{1,40})\(")
CONTROL = re.compile(r"(?P<name>[A-Za-z]+):? (?P<fields>\{.*\})\s*")
INVALID = re.compile(r"Found (?P<bytes>\d{1,18}) invalid bytes at the end of ")
CONTROLS = {
    "LeaderChange": "LEADER_CHANGE",
    "SnapshotHeader": "SNAPSHOT_HEADER",
    "SnapshotFooter": "SNAPSHOT_FOOTER",
    "KRaftVersion": "KRAFT_VERSION",
    "KRaftVoters": "KRAFT_VOTERS",
}
OLD_NAMES = {"lastKnownELR": "lastKnownElr"}  # 3.7 and 3.8
LARGEST_EPOCH, LARGEST_VERSION = (1 << 31) - 1, (1 << 15) - 1  # int32 and int16, as Kafka has them
INTEGERS = {"int8": 7, "int16": 15, "uint16": 16, "int32": 31, "int64": 63}


@dataclass(slots=True)
class _Batch:
    offset: int
    epoch: int
    at_ms: int
    place: int = 0


def is_metadata_dump(head: str) -> bool:
    """True if the beginning of a text is one of such a dump: its records are of the metadata log."""
    lines = head.split("\n")[:FIRST_LINES]
    is_begun = any(FILE.match(one) or BATCH.match(one) or RECORD.match(one) for one in lines)
    return is_begun and any(_said_by(one) is not None for one in lines)


def read_metadata_dump(lines: Iterable[bytes], masking: Masking | None = None) -> list[MetadataPart]:
    """One part for each file that is dumped in the text, in its order; lines with their ends."""
    parts: list[MetadataPart] = []
    batch: _Batch | None = None
    byte = 0
    for raw in lines:
        line = raw[:LONGEST_LINE].decode("utf-8", "replace").rstrip("\r\n")
        if named := FILE.match(line):
            parts.append(MetadataPart(DUMP, source=named["path"]))
            batch = None
        elif line.startswith(BATCH_WORD):
            parts = parts or [MetadataPart(DUMP)]
            batch = _batch_of(line)
        elif batch is not None and not line.strip():
            batch.place += 1  # a control record, with --skip-record-metadata
        else:
            parts = parts or [MetadataPart(DUMP)]
            _take_line(parts[-1], line, byte, batch, masking)
        byte += len(raw)
    found_parts = [one for one in parts if one.records or one.end]
    for one in found_parts:
        _set_no_ops_apart(one)
    return found_parts


def read_pasted_record(line: str) -> MetadataRecord | None:
    """The record of one line of a dump, or of its payload alone (`{"type":...`); None: it is none."""
    text = line.strip()
    whole = RECORD.match(text)
    said = _said_by(text if whole or not text.startswith("{") else f"| payload: {text}")
    if said is None or not (whole or said[0] in record_schemas() or (said[0] or "").endswith("_RECORD")):
        return None
    offset, at_ms = (int(whole["offset"]), int(whole["at"])) if whole else (-1, -1)
    return _record_of(said, 0, offset, at_ms, None, None)


def _batch_of(line: str) -> _Batch | None:
    """None: it is no line of a batch, and what follows is of no batch that is known."""
    found = BATCH.match(line)
    if found is None or not -1 <= int(found["epoch"]) <= LARGEST_EPOCH:
        return None
    return _Batch(int(found["offset"]), int(found["epoch"]), int(found["at"]))


def _take_line(
    part: MetadataPart, line: str, byte: int, batch: _Batch | None, masking: Masking | None
) -> None:
    if found := SNAPSHOT_LINE.match(line):
        part.form, part.snapshot = SNAPSHOT, (int(found["offset"]), int(found["epoch"]))
    elif line.startswith(BOOTSTRAP_LINE):
        part.form = SNAPSHOT
    elif found := INVALID.match(line):
        part.end = FileEnd(byte, DAMAGED, f"{int(found['bytes']):,} bytes that are no batch")
    elif (said := _said_by(line)) is not None:
        whole = RECORD.match(line)
        if whole is None and batch is None:
            return
        offset = int(whole["offset"]) if whole else batch.offset + batch.place if batch else 0
        at_ms = int(whole["at"]) if whole else batch.at_ms if batch else 0
        if 0 <= at_ms <= LATEST_MS:
            part.records.append(_record_of(said, byte, offset, at_ms, batch, masking))
        if batch is not None:
            batch.place += 1


def _record_of(
    said: Decoded, byte: int, offset: int, at_ms: int, batch: _Batch | None, masking: Masking | None
) -> MetadataRecord:
    name, version, fields, reason = said
    shown = fields if fields is None or name is None else hide_secrets(name, fields, masking)
    base, epoch, place = (batch.offset, batch.epoch, batch.place) if batch else (offset, -1, 0)
    return MetadataRecord(byte, offset, epoch, at_ms, base, place, name, version, shown, reason)


def _said_by(line: str) -> Decoded | None:
    """What a line of a record says, as decode_value; None: it is no such line."""
    found = RECORD.match(line) or BARE.match(line)
    if found is None:
        return None
    said = found["said"]
    if payload := PAYLOAD.fullmatch(said):
        return _payload_of(payload["payload"])
    if said.startswith("payload: Error at"):
        return None, None, None, "bad_bytes"
    if kind := CONTROL_TYPE.match(said):
        name = kind["name"]
        return (name, None, {}, None) if name in record_schemas() else None
    if (control := CONTROL.fullmatch(said)) and control["name"] in CONTROLS:
        return _fields_of_text(CONTROLS[control["name"]], None, control["fields"])
    return None


def _payload_of(text: str) -> Decoded:
    found = _parsed(text)
    name, version = (found.get("type"), found.get("version")) if found else (None, None)
    if found is None or not isinstance(name, str) or not _is_version(version):
        return None, None, None, "bad_bytes"
    if name not in record_schemas():
        return name[:60], version, None, "unknown_type"
    return fields_of_json(name, version, found.get("data"))


def _fields_of_text(name: str, version: int | None, text: str) -> Decoded:
    found = _parsed(text)
    said = 0 if found is None else found.get("version", 0)
    if found is None or not _is_version(said):
        return name, version, None, "bad_bytes"
    return fields_of_json(name, said, found)


def _is_version(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= LARGEST_VERSION


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def fields_of_json(name: str, version: int, data: Any) -> Decoded:
    """As decode_message gives the same record. What the facts do not name is passed over."""
    schema = record_schemas()[name]
    if not schema.has_version(version):
        return name, version, None, "unknown_version"
    try:
        return name, version, _checked_struct(schema.fields, version, data), None
    except BadBytes:
        return name, version, None, "bad_bytes"


def _checked_struct(fields: tuple[RecordField, ...], version: int, data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise BadBytes("no fields")
    plan = struct_plan(fields, version)
    data = {OLD_NAMES.get(key, key): value for key, value in data.items()}
    missing = [one.name for one in plan.fields if one.name not in data]
    if missing:
        raise BadBytes(f"no {missing[0]}")
    return {
        key: _checked_field(plan.by_name[key], version, value)
        for key, value in data.items()
        if key in plan.by_name
    }


def _checked_field(field: RecordField, version: int, value: Any) -> Any:
    if value is None and is_version_in(version, field.nullable):
        return None
    if field.is_array:
        if not isinstance(value, list):
            raise BadBytes("no list")
        return [_checked_item(field, version, one) for one in value]
    return _checked_item(field, version, value)


def _checked_item(field: RecordField, version: int, value: Any) -> Any:
    if field.fields:
        return _checked_struct(field.fields, version, value)
    bits = INTEGERS.get(field.type)
    if bits:
        is_good = type(value) is int and -(1 << bits) <= value < 1 << bits
    elif field.type == "float64":
        is_good = isinstance(value, int | float)
    else:
        is_good = isinstance(value, bool if field.type == "bool" else str)
    if not is_good:
        raise BadBytes(f"{field.name} is no {field.type}")
    return HIDDEN if field.type == "bytes" else value


def _set_no_ops_apart(part: MetadataPart) -> None:
    """As a reader of the file gives them; offsets that are missing are told, too."""
    offsets = [one.offset for one in part.records]
    if part.form == DUMP:
        part.missing = [(a + 1, b) for a, b in pairwise(offsets) if b != a + 1]
    is_no_op = [one.name == NO_OP_RECORD and one.reason is None for one in part.records]
    said = [
        (one.offset, one.epoch, one.at_ms)
        for one, is_one in zip(part.records, is_no_op, strict=True)
        if is_one
    ]
    part.no_ops = np.array(said, NO_OPS)
    part.records = [one for one, is_one in zip(part.records, is_no_op, strict=True) if not is_one]
