"""What one record of the metadata log means, field by field: a line of kafka-dump-log, or its payload alone."""

from dataclasses import dataclass
from typing import Any

from pipeline.kafka.metadata_log.decoding import NOT_UNDERSTOOD
from pipeline.kafka.metadata_log.schemas import record_schemas, struct_plan
from pipeline.kafka.metadata_log.segment import MetadataRecord


@dataclass(frozen=True)
class ExplainedField:
    """A field of a record, what it says and what it means. `is_absent`: it is not there, which says its default."""

    name: str
    value: Any
    meaning: str
    is_absent: bool = False


@dataclass(frozen=True)
class ExplainedRecord:
    """A record of the metadata log. `since`: first release that has this version. `reason`: why it is not understood.
    `offset`, `at_ms`: -1 where the line does not say."""

    name: str
    version: int | None
    meaning: str
    since: str | None
    fields: tuple[ExplainedField, ...]
    offset: int
    at_ms: int
    reason: str | None = None


def explain_metadata_record(record: MetadataRecord) -> ExplainedRecord:
    schema = record_schemas().get(record.name or "")
    if schema is None or record.fields is None:
        reason = NOT_UNDERSTOOD[record.reason or "bad_bytes"]
        meaning = schema.meaning if schema else ""
        return ExplainedRecord(
            record.name or "", record.version, meaning, None, (), record.offset, record.at_ms, reason
        )
    version = schema.versions[1] if record.version is None else record.version
    plan = struct_plan(schema.fields, version)
    shown = [
        ExplainedField(name, value, plan.by_name[name].meaning if name in plan.by_name else "Not known here.")
        for name, value in record.fields.items()
    ]
    absent = [
        ExplainedField(one.name, None, one.meaning, is_absent=True)
        for one in plan.tags.values()
        if one.name not in record.fields and record.fields
    ]
    since = schema.since.get(version)
    return ExplainedRecord(
        schema.name, record.version, schema.meaning, since, (*shown, *absent), record.offset, record.at_ms
    )
