"""What each record of the metadata log looks like, version by version: record_types.tsv and record_fields.tsv."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline.kafka.facts import read_fact_table

NOTHING, NEWEST = (1, 0), 32767
Versions = tuple[int, int]
NO_UUID = "AAAAAAAAAAAAAAAAAAAAAA"


@dataclass(frozen=True, eq=False)
class RecordField:
    """One field of a record or of a struct in one. `default`: what a tagged field says that is not there. `hidden`:
    as record_fields.tsv says it. `fields`: of a struct."""

    name: str
    type: str
    is_array: bool
    versions: Versions
    nullable: Versions
    tag: int | None
    tagged: Versions
    default: Any
    hidden: str
    meaning: str
    fields: tuple["RecordField", ...] = ()


@dataclass(frozen=True)
class RecordSchema:
    """A type of record, named as kafka-dump-log names it. `since`: by version the first release that has it."""

    name: str
    kind: str
    number: int
    versions: Versions
    since: dict[int, str]
    meaning: str
    fields: tuple[RecordField, ...]

    def has_version(self, version: int) -> bool:
        return self.versions[0] <= version <= self.versions[1]


@dataclass(frozen=True)
class StructPlan:
    """How a struct is read in one version: the fields in order, then tagged ones by their number."""

    fields: tuple[RecordField, ...]
    tags: dict[int, RecordField]
    by_name: dict[str, RecordField]


@cache
def record_schemas() -> dict[str, RecordSchema]:
    """All types of records by name."""
    rows = read_fact_table("metadata_log/record_fields.tsv")
    return {
        row["record"]: RecordSchema(
            row["record"],
            row["kind"],
            int(row["number"]),
            version_range(row["versions"]),
            {int(a): b for a, b in (one.split(":") for one in row["since"].split())},
            row["meaning"],
            _fields_below("", [one for one in rows if one["record"] == row["record"]]),
        )
        for row in read_fact_table("metadata_log/record_types.tsv")
    }


@cache
def schemas_by_number(kind: str) -> dict[int, RecordSchema]:
    """The types of one kind (control, metadata) by api key or type of control record."""
    return {one.number: one for one in record_schemas().values() if one.kind == kind}


def version_range(text: str) -> Versions:
    """`0-2`, `1+`, `3` as first and last; nothing: a range that holds no version."""
    if not text:
        return NOTHING
    if text.endswith("+"):
        return int(text[:-1]), NEWEST
    first, _, last = text.partition("-")
    return int(first), int(last or first)


@cache
def struct_plan(fields: tuple[RecordField, ...], version: int) -> StructPlan:
    """How a struct of these fields stands in records of a version."""
    own = [one for one in fields if is_version_in(version, one.versions)]
    tagged = {one.tag: one for one in own if one.tag is not None and is_version_in(version, one.tagged)}
    plain = tuple(one for one in own if one not in tagged.values())
    return StructPlan(plain, tagged, {one.name: one for one in own})


def is_version_in(version: int, versions: Versions) -> bool:
    return versions[0] <= version <= versions[1]


def _fields_below(parent: str, rows: Sequence[dict[str, str]]) -> tuple[RecordField, ...]:
    return tuple(_field_of(row, rows) for row in rows if row["field"].rpartition(".")[0] == parent)


def _field_of(row: dict[str, str], rows: Sequence[dict[str, str]]) -> RecordField:
    is_array = row["type"].startswith("[]")
    kind = row["type"].removeprefix("[]")
    return RecordField(
        row["field"].rpartition(".")[2],
        kind,
        is_array,
        version_range(row["versions"]),
        version_range(row["nullable"]),
        int(row["tag"]) if row["tag"] else None,
        version_range(row["tagged"]),
        _default_value(row["default"], kind, is_array=is_array),
        row["hidden"],
        row["meaning"],
        _fields_below(row["field"], rows),
    )


def _default_value(text: str, kind: str, *, is_array: bool) -> Any:
    if text == "null":
        return None
    if is_array:
        return []
    if kind == "bool":
        return text == "true"
    if kind.startswith(("int", "uint")):
        return int(text or "0", 0)
    if kind == "float64":
        return float(text or 0)
    return NO_UUID if kind == "uuid" else text
