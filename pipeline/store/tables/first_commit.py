"""The first commit of a table of a local warehouse, as Delta's protocol and this product's declarations have it."""

import json
import time
import uuid
from collections.abc import Mapping
from typing import Any

from pyspark.sql.types import StructField

from pipeline.store.tables.delta import properties_when_made
from schemas.spark import struct_of
from schemas.spec import TableSpec

NTZ = "timestamp_ntz"
MAY_BE_NULL = ("nullable", "containsNull", "valueContainsNull")


def first_commit(spec: TableSpec, retention_days: int, note: str) -> str:
    """Its lines."""
    actions = (commit_info(note), protocol_of(spec), metadata_of(spec, retention_days))
    return "".join(f"{dense_json(one)}\n" for one in actions)


def metadata_of(spec: TableSpec, retention_days: int) -> Mapping[str, Any]:
    said = {
        "id": str(uuid.uuid4()),
        "description": spec.grain,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": dense_json(
            {"type": "struct", "fields": list(map(column_json, struct_of(spec).fields))}
        ),
        "partitionColumns": [],
        "configuration": properties_when_made(spec, retention_days),
        "createdTime": time.time_ns() // 1_000_000,
    }
    return {"metaData": said}


def comparable_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What tables have in common that are declared alike."""
    return {name: said for name, said in metadata.items() if name not in ("id", "createdTime")}


def dense_json(said: Mapping[str, Any]) -> str:
    """As Spark writes it."""
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def column_json(column: StructField) -> dict[str, Any]:
    """As a column stands in a table's log that SQL made: what is within a column may be null."""
    return column.jsonValue() | {"type": with_nulls_within(column.dataType.jsonValue())}


def with_nulls_within(kind: Any) -> Any:
    if isinstance(kind, list):
        return [with_nulls_within(one) for one in kind]
    if not isinstance(kind, dict):
        return kind
    told = {name: with_nulls_within(one) for name, one in kind.items()}
    return told | {name: True for name in MAY_BE_NULL if name in told}


def commit_info(note: str) -> Mapping[str, Any]:
    said = {"timestamp": time.time_ns() // 1_000_000, "operation": "CREATE TABLE", "userMetadata": note}
    return {"commitInfo": said}


def protocol_of(spec: TableSpec) -> Mapping[str, Any]:
    """The lowest that what the table declares needs (Delta's protocol, "Table Features")."""
    if NTZ not in struct_of(spec).json():
        return {"protocol": {"minReaderVersion": 1, "minWriterVersion": 3 if spec.checks else 2}}
    features = ["timestampNtz", "invariants", "appendOnly", *(["checkConstraints"] if spec.checks else [])]
    return {
        "protocol": {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": ["timestampNtz"],
            "writerFeatures": features,
        }
    }
