"""The JSON schema of `findings --format json`, from the table's own declaration."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from jobs.questions.findings_out import COLUMNS, TO_DO
from pipeline.rules.registry import RULES
from schemas.gold.finding import FACTS, SPEC, Fact
from schemas.spec import Field

DRAFT = "https://json-schema.org/draft/2020-12/schema"
TYPES = (
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_floating, "number"),
    (pa.types.is_integer, "integer"),
    (pa.types.is_string, "string"),
    (pa.types.is_timestamp, "string"),
)
EVIDENCE = {
    "file_id": {"type": "string", "description": "The file, by its first bytes."},
    "byte_offset": {"type": "integer", "minimum": 0, "description": "Where the record begins, uncompressed."},
    "path": {
        "type": ["string", "null"],
        "description": "Where the file lay; null if its record is not stored.",
    },
    "line": {"type": ["integer", "null"], "minimum": 1, "description": "The line in it, from 1."},
}


def findings_json_schema() -> dict[str, Any]:
    """Of a list with one object a finding."""
    fields = {one.name: one for one in SPEC.fields}
    properties = {name: of_field(fields[name]) for name in COLUMNS if name != "number"}
    properties["number"] = {
        "type": "integer",
        "minimum": 1,
        "description": "F1, F2, ... on the first screen.",
    }
    properties[TO_DO] = {
        "type": ["string", "null"],
        "description": "The first thing to do, by the rule and whether it still is so; null: its rule has no playbook.",
    }
    properties["facts"] = {
        "type": "object",
        "description": "What the sentence tells; what is not known is left out.",
    }
    properties["evidence"] = {"type": "array", "items": of_object(EVIDENCE)}
    return {
        "$schema": DRAFT,
        "title": "Findings of kafka-controller-audit",
        "type": "array",
        "items": of_object(properties)
        | {"allOf": [facts_of(rule.name, rule.facts) for rule in RULES.values()]},
    }


def facts_of(rule: str, names: Iterable[str]) -> dict[str, Any]:
    """What facts a finding of that rule may have."""
    facts = {"properties": {name: of_fact(FACTS[name]) for name in names}, "additionalProperties": False}
    return {
        "if": {"properties": {"rule": {"const": rule}}},
        "then": {"properties": {"facts": {"type": "object"} | facts}},
    }


def of_fact(fact: Fact) -> dict[str, Any]:
    return of_type(fact.type) | {"description": fact.meaning}


def of_type(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_list(kind):
        return {"type": "array", "items": of_type(kind.value_type)}
    if pa.types.is_struct(kind):
        return of_object({field.name: of_type(field.type) for field in kind})
    return {"type": next(name for is_so, name in TYPES if is_so(kind))}


def of_object(properties: dict[str, Any]) -> dict[str, Any]:
    """All of its properties, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }


def of_field(one: Field) -> dict[str, Any]:
    kind = next(name for is_one, name in TYPES if is_one(one.type))
    found: dict[str, Any] = {
        "type": [kind, "null"] if one.nullable else kind,
        "description": one.comment.partition(" One of: ")[0],
    }
    if pa.types.is_timestamp(one.type):
        found["format"] = "date-time"
    if one.accepted:
        found["enum"] = [*one.accepted, *([None] if one.nullable else [])]
    return found
