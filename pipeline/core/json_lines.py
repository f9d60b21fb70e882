"""Reads columns out of JSON objects, one a line, all lines at once."""

import json
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

Mask = npt.NDArray[np.bool_]
Columns = dict[str, pa.Array]
FEW = 64
SURROGATES = "utf-16-le", "surrogatepass"


def json_columns(lines: pa.Array, types: Mapping[str, pa.DataType]) -> tuple[Columns, Mask]:
    """The values at each path, and which lines are one JSON object; null where there is none of that type.

    `lines`: strings without line ends. A path is `key` or `key/key`; types are string, int64 and float64.
    pyarrow reads all lines at once; where it refuses some, halves are tried, and Python reads the last few.
    """
    schema = _schema(types)
    parts: list[tuple[Columns, Mask]] = []
    _read(lines, types, schema, parts)
    if len(parts) == 1:
        return parts[0]
    columns = {path: pa.concat_arrays([part[path] for part, _ in parts]) for path in types}
    return columns, np.concatenate([good for _, good in parts]) if parts else np.zeros(0, np.bool_)


def _read(
    lines: pa.Array, types: Mapping[str, pa.DataType], schema: pa.Schema, parts: list[tuple[Columns, Mask]]
) -> None:
    found = _by_arrow(lines, types, schema)
    if found is None and len(lines) <= FEW:
        found = _by_python(lines, types)
    if found is not None:
        parts.append(found)
        return
    half = len(lines) // 2
    _read(lines.slice(0, half), types, schema, parts)
    _read(lines.slice(half), types, schema, parts)


def _schema(types: Mapping[str, pa.DataType]) -> pa.Schema:
    nested: dict[str, Any] = {}
    for path, kind in types.items():
        *outer, last = path.split("/")
        place = reduce(lambda tree, key: tree.setdefault(key, {}), outer, nested)
        place[last] = kind
    return pa.schema(_fields(nested))


def _fields(tree: Mapping[str, Any]) -> list[pa.Field]:
    return [
        pa.field(key, pa.struct(_fields(kind)) if isinstance(kind, dict) else kind)
        for key, kind in tree.items()
    ]


def _by_arrow(
    lines: pa.Array, types: Mapping[str, pa.DataType], schema: pa.Schema
) -> tuple[Columns, Mask] | None:
    """None: some line is no object, or holds a value of another type."""
    if not len(lines):
        return {path: pa.array([], kind) for path, kind in types.items()}, np.zeros(0, np.bool_)
    text = pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "\n")[0].as_buffer()
    try:
        table = pj.read_json(
            pa.BufferReader(text),
            pj.ReadOptions(use_threads=False, block_size=text.size + 1),
            pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except pa.ArrowInvalid:
        return None
    if len(table) != len(lines):
        return None
    return {path: _at(table, path) for path in types}, np.ones(len(lines), np.bool_)


def _at(table: pa.Table, path: str) -> pa.Array:
    first, *inner = path.split("/")
    value = table.column(table.schema.get_field_index(first)).combine_chunks()
    for key in inner:
        value = pc.struct_field(value, [value.type.get_field_index(key)])
    return value


def _by_python(lines: pa.Array, types: Mapping[str, pa.DataType]) -> tuple[Columns, Mask]:
    objects = [_object(line) for line in lines.to_pylist()]
    columns = {
        path: pa.array([_value(one, path, kind) for one in objects], kind) for path, kind in types.items()
    }
    return columns, np.array([one is not None for one in objects], np.bool_)


def _object(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _value(found: Any, path: str, kind: pa.DataType) -> Any:
    for key in path.split("/"):
        found = found.get(key) if isinstance(found, dict) else None
    if pa.types.is_string(kind):
        return found.encode(*SURROGATES).decode("utf-16-le", "replace") if isinstance(found, str) else None
    wanted = int if pa.types.is_integer(kind) else (int, float)
    is_number = isinstance(found, wanted) and not isinstance(found, bool)
    return found if is_number and abs(found) < 1 << 62 else None
