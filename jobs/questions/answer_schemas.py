"""The JSON schema of what a question or a command gives as JSON: of its rows, from the table's own declaration."""

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from jobs.questions.findings_schema import (
    DRAFT,
    EVIDENCE,
    findings_json_schema,
    of_field,
    of_object,
    of_type,
)
from jobs.questions.rows_out import ROWS
from jobs.questions.status import VERDICTS
from jobs.questions.verify_findings import OUTCOMES
from pipeline.rules.registry import RULES
from schemas.named import spec_of
from schemas.spec import Field

NULLABLE_TEXT = {"type": ["string", "null"]}
LINE = of_object(
    {"path": {"type": "string"}, "line": {"type": "integer", "minimum": 1}, "text": NULLABLE_TEXT}
)
TOLD = {
    "type": "object",
    "description": "One thing of the answer; beside these its values, by name.",
    "properties": {
        "at": {"type": ["string", "null"], "format": "date-time"},
        "text": {"type": "string"},
        "certainty": NULLABLE_TEXT,
        "lines": {"type": "array", "items": LINE},
    },
    "required": ["at", "certainty", "lines", "text"],
}


def question_json_schema(name: str) -> dict[str, Any]:
    """Of `ask NAME --format json`, and of the commands verify and status; a line of jsonl is one of its items."""
    if name in OF_COMMANDS:
        return OF_COMMANDS[name]()
    if name not in ROWS:
        return answers_json_schema()
    found = ROWS[name]
    if not found.columns:
        return findings_json_schema()
    fields = {one.name: one for one in spec_of(found.table).fields}
    properties: dict[str, Any] = {"cluster_id": {"type": "string"}}
    properties |= {column: column_schema(fields[column]) for column in found.columns}
    properties |= {
        one: {"type": [*kinds], "description": words} for one, (kinds, words) in found.more.items()
    }
    return schema_of_list(f"Rows of kafka-controller-audit {name}", of_object(properties))


def column_schema(one: Field) -> dict[str, Any]:
    if one.name == "evidence":
        return {"type": "array", "items": of_object(EVIDENCE)}
    if pa.types.is_list(one.type):
        return of_type(one.type) | {"type": ["array", "null"], "description": one.comment}
    return of_field(one)


def answers_json_schema() -> dict[str, Any]:
    properties = {
        "cluster_id": {"type": "string"},
        "question": {"type": "string", "description": "With what was given to it, as it can be asked again."},
        "as_of": {"type": ["string", "null"], "format": "date-time", "description": "The end of the data."},
        "answer": {"type": "string", "description": "A sentence."},
        "told": {"type": "array", "items": TOLD},
        "not_known": {"type": "array", "items": {"type": "string"}, "description": "What no line tells."},
    }
    return schema_of_list("Answers of kafka-controller-audit", of_object(properties))


def verified_json_schema() -> dict[str, Any]:
    properties = {
        "cluster_id": {"type": "string"},
        "number": {"type": "integer", "minimum": 1, "description": "F1, F2, ... on the first screen."},
        "finding_id": {"type": "string"},
        "rule": {"enum": sorted(RULES)},
        "outcome": {"enum": [*OUTCOMES]},
        "sentence": {"type": "string", "description": "What the records say of it."},
    }
    return schema_of_list("Findings as kafka-controller-audit verify proves them", of_object(properties))


def status_json_schema() -> dict[str, Any]:
    """clusters: those first that need somebody. null: it is not known."""
    count = {"type": ["integer", "null"], "minimum": 0}
    properties = {
        "cluster_id": {"type": "string"},
        "verdict": {"enum": [*VERDICTS]},
        "critical": count,
        "warning": count,
        "offline": count | {"description": "Partitions without a leader at the end of the data."},
        "controller": {"type": "string"},
        "over_limit": {"type": ["array", "null"], "items": {"type": "integer"}},
        "last_at": {"type": ["string", "null"], "format": "date-time"},
        "age_seconds": {"type": ["integer", "null"]},
        "parts_to_come": {"type": "integer", "minimum": 0, "description": "Of a backfill that goes on."},
    }
    clusters = {"clusters": {"type": "array", "items": of_object(properties)}}
    return {"$schema": DRAFT, "title": "Clusters of kafka-controller-audit"} | of_object(clusters)


def schema_of_list(title: str, item: Mapping[str, Any]) -> dict[str, Any]:
    return {"$schema": DRAFT, "title": title, "type": "array", "items": item}


OF_COMMANDS: dict[str, Callable[[], dict[str, Any]]] = {
    "verify": verified_json_schema,
    "status": status_json_schema,
}
