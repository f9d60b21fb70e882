"""What of a record is never told, and what is masked on request."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.metadata_log.decoding import HIDDEN
from pipeline.kafka.metadata_log.schemas import RecordField, record_schemas
from pipeline.kafka.reading.masking import TOKENS, Masking

ENTITY_KINDS = {"user": "principals", "client-id": "client_ids", "ip": "addresses"}
NO_NAMES = ("", "*")


def hide_secrets(name: str, fields: dict[str, Any], masking: Masking | None = None) -> dict[str, Any]:
    """The fields of a record without secrets; with masking also without what it masks.

    Secrets: keys and salts of SCRAM, ids of tokens, values of settings that are not known to be none.
    """
    if _has_hidden(name):
        fields = _hidden_struct(record_schemas()[name].fields, fields, masking)
    if masking is not None and masking.patterns:
        return {key: masking.masker.tree(value) for key, value in fields.items()}
    return fields


@cache
def shown_settings() -> frozenset[str]:
    return frozenset(row["name"] for row in read_fact_table("metadata_log/shown_settings.tsv"))


@cache
def _has_hidden(name: str) -> bool:
    return _hides_any(record_schemas()[name].fields)


def _hides_any(fields: Sequence[RecordField]) -> bool:
    return any(one.hidden or _hides_any(one.fields) for one in fields)


def _hidden_struct(
    fields: Sequence[RecordField], values: dict[str, Any], masking: Masking | None
) -> dict[str, Any]:
    found = dict(values)
    for field in fields:
        value = found.get(field.name)
        if value is None:
            continue
        if field.fields:
            items = value if isinstance(value, list) else [value]
            inner = [_hidden_struct(field.fields, one, masking) for one in items]
            found[field.name] = inner if isinstance(value, list) else inner[0]
        elif field.hidden:
            found[field.name] = _hidden_value(field.hidden, value, values, masking)
    return found


def _hidden_value(hidden: str, value: Any, beside: dict[str, Any], masking: Masking | None) -> Any:
    if hidden == "secret":
        return HIDDEN
    if hidden == "setting":
        return value if beside.get("name") in shown_settings() else HIDDEN
    kind = ENTITY_KINDS.get(str(beside.get("entityType")), "principals") if hidden == "entity" else hidden
    if masking is None:
        return value
    if isinstance(value, list):
        return [_masked_text(one, kind, masking) for one in value]
    return _masked_text(value, kind, masking)


def _masked_text(text: str, kind: str, masking: Masking) -> str:
    if kind not in masking.kinds or text in NO_NAMES:
        return masking.masker.text(text)
    return masking.masker.token(TOKENS[kind], text.encode("utf-8", "replace")).decode()
