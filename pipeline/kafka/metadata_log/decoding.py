"""What stands in the bytes of one record: frame, type, version, and its fields by the facts."""

import base64
import struct
from collections.abc import Callable
from typing import Any

from pipeline.kafka.metadata_log.schemas import (
    RecordField,
    RecordSchema,
    is_version_in,
    schemas_by_number,
    struct_plan,
)

FRAME = 1
MOST_VARINT_BITS = 63
HIDDEN = "(secret)"  # stands for what is never told
NOT_UNDERSTOOD = {
    "unknown_type": "A newer release has this type of record.",
    "unknown_version": "A newer release has this version of the record.",
    "frame": "The record has another frame than releases from 3.3 on write.",
    "bad_bytes": "The bytes are no such record.",
    "compressed": "The batch is compressed, and is not unpacked: Kafka compresses none of this log.",
}
Decoded = tuple[str | None, int | None, dict[str, Any] | None, str | None]


class BadBytes(ValueError):
    """What stands there is not what it should be."""


def read_unsigned(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length number and where it ends."""
    found = data[at]
    if found < 0x80:
        return found, at + 1
    found = shift = 0
    while True:
        one = data[at]
        at += 1
        found |= (one & 0x7F) << shift
        if one < 0x80:
            return found, at
        shift += 7
        if shift > MOST_VARINT_BITS:
            raise BadBytes("a number of more than ten bytes")


def read_zigzag(data: bytes, at: int) -> tuple[int, int]:
    found = data[at]
    if found >= 0x80:
        found, at = read_unsigned(data, at)
        return (found >> 1) ^ -(found & 1), at
    return (found >> 1) ^ -(found & 1), at + 1


def decode_value(data: bytes) -> Decoded:
    """Type, version, fields and, of what is not understood, why (NOT_UNDERSTOOD)."""
    try:
        frame, at = read_unsigned(data, 0)
        if frame != FRAME:
            return None, None, None, "frame"
        number, at = read_unsigned(data, at)
        version, at = read_unsigned(data, at)
    except (BadBytes, IndexError):
        return None, None, None, "bad_bytes"
    schema = schemas_by_number("metadata").get(number)
    if schema is None:
        return f"type {number}"[:24], min(version, 1 << 30), None, "unknown_type"
    return decode_message(data, at, schema, version)


def decode_control(key: bytes, value: bytes) -> Decoded:
    """Of a control record, as decode_value: its key says which it is, its value begins with the version."""
    number = int.from_bytes(key[2:4], "big", signed=True)
    schema = schemas_by_number("control").get(number)
    if schema is None or len(value) < 2:
        return f"control type {number}", None, None, "unknown_type" if schema is None else "bad_bytes"
    return decode_message(value, 0, schema, int.from_bytes(value[:2], "big", signed=True))


def decode_message(data: bytes, at: int, schema: RecordSchema, version: int) -> Decoded:
    if not schema.has_version(version):
        return schema.name, min(version, 1 << 30), None, "unknown_version"
    try:
        fields, at = _read_struct(data, at, schema.fields, version)
    except (BadBytes, IndexError, struct.error):
        return schema.name, version, None, "bad_bytes"
    is_whole = at == len(data)
    return schema.name, version, fields if is_whole else None, None if is_whole else "bad_bytes"


def _read_struct(
    data: bytes, at: int, fields: tuple[RecordField, ...], version: int
) -> tuple[dict[str, Any], int]:
    plan = struct_plan(fields, version)
    found: dict[str, Any] = {}
    for one in plan.fields:
        value, at = _read_field(data, at, one, version)
        if value is None and not is_version_in(version, one.nullable):
            raise BadBytes(f"{one.name} is absent")
        found[one.name] = value
    count, at = read_unsigned(data, at)
    for _ in range(count):
        tag, at = read_unsigned(data, at)
        size, at = read_unsigned(data, at)
        if at + size > len(data):
            raise BadBytes("cut short")
        tagged = plan.tags.get(tag)
        if tagged is None:
            found[f"tag {tag}"] = f"{size} bytes"
        else:
            value, end = _read_field(data, at, tagged, version)
            if end != at + size:
                raise BadBytes(f"{tagged.name} is of another length")
            if value != tagged.default:
                found[tagged.name] = value
        at += size
    return found, at


def _read_field(data: bytes, at: int, field: RecordField, version: int) -> tuple[Any, int]:
    if not field.is_array:
        return (
            _read_struct(data, at, field.fields, version) if field.fields else READERS[field.type](data, at)
        )
    count, at = read_unsigned(data, at)
    if count == 0:
        return None, at
    if count - 1 > len(data) - at:  # one byte at least each
        raise BadBytes(f"{count - 1} items")
    items = []
    for _ in range(count - 1):
        one, at = (
            _read_struct(data, at, field.fields, version) if field.fields else READERS[field.type](data, at)
        )
        items.append(one)
    return items, at


Reader = Callable[[bytes, int], tuple[Any, int]]


def _number_reader(form: str) -> Reader:
    packed = struct.Struct(form)

    def read_number(data: bytes, at: int) -> tuple[Any, int]:
        return packed.unpack_from(data, at)[0], at + packed.size

    return read_number


def _read_bool(data: bytes, at: int) -> tuple[bool, int]:
    return data[at] != 0, at + 1


def _read_uuid(data: bytes, at: int) -> tuple[str, int]:
    if at + 16 > len(data):
        raise BadBytes("cut short")
    return base64.urlsafe_b64encode(data[at : at + 16])[:22].decode(), at + 16


def _read_text(data: bytes, at: int) -> tuple[str | None, int]:
    size, at = read_unsigned(data, at)
    end = at + size - 1
    if end > len(data):
        raise BadBytes("cut short")
    return (str(data[at:end], "utf-8", "replace"), end) if size else (None, at)


def _pass_bytes(data: bytes, at: int) -> tuple[str | None, int]:
    """Fields of bytes are secrets, all of them: nothing of them is read."""
    size, at = read_unsigned(data, at)
    if at + size - 1 > len(data):
        raise BadBytes("cut short")
    return (HIDDEN, at + size - 1) if size else (None, at)


READERS: dict[str, Reader] = {
    "int8": _number_reader(">b"),
    "int16": _number_reader(">h"),
    "uint16": _number_reader(">H"),
    "int32": _number_reader(">i"),
    "int64": _number_reader(">q"),
    "float64": _number_reader(">d"),
    "bool": _read_bool,
    "uuid": _read_uuid,
    "string": _read_text,
    "bytes": _pass_bytes,
}
