"""How `explain` tells a record of KRaft's metadata log: a line of kafka-dump-log, or its payload."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from jobs.explain.text import explained_entry_lines, wrap_labelled_text
from pipeline.core.clocks import day_clock
from pipeline.kafka.explaining.metadata_record import ExplainedRecord, explain_metadata_record
from pipeline.kafka.metadata_log.dump import read_pasted_record
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.words import record_sentence

MOST_LINES = 10_000
FIRST_BYTES = (b"{", b"|", b"offset:", b"baseOffset:", b"Dumping ")


def pasted_metadata_records(data: bytes) -> list[MetadataRecord]:
    """The records of a text, if it is one of kafka-dump-log; else none."""
    if not data.lstrip().startswith(FIRST_BYTES):
        return []
    lines = data.decode("utf-8", "replace").splitlines()[:MOST_LINES]
    return [one for one in map(read_pasted_record, lines) if one is not None]


def metadata_record_lines(record: MetadataRecord, width: int) -> Iterator[str]:
    """Record, what it says in words, then each field with its meaning."""
    told = explain_metadata_record(record)
    if told.reason is not None:
        yield from wrap_labelled_text("NOT UNDERSTOOD", told.reason, width)
        yield from explained_entry_lines("record", f"{told.name or 'unknown'} {version_text(told)}", width)
        return
    yield from wrap_labelled_text(told.name, told.meaning, width)
    yield from explained_entry_lines("says", record_sentence(record, {}), width)
    if told.at_ms >= 0:
        at = day_clock(datetime.fromtimestamp(told.at_ms / 1000, UTC))
        yield from explained_entry_lines(
            "time", f"{at} UTC, offset {told.offset}, by the clock of the active controller", width
        )
    yield from explained_entry_lines("version", version_text(told), width)
    names = max([len(one.name) for one in told.fields if not one.is_absent] or [0])
    for one in told.fields:
        if not one.is_absent:
            value = "none" if one.value is None else str(one.value)
            said = f"  {one.name:<{names}}  {value}"
            yield from wrap_labelled_text(said, f" {one.meaning}", width, " " * (names + 4))
    absent = ", ".join(one.name for one in told.fields if one.is_absent)
    if absent:
        yield from explained_entry_lines("absent", f"{absent}: no change, or the default", width)


def version_text(told: ExplainedRecord) -> str:
    if told.version is None:
        return "not printed"
    return f"{told.version}, since {told.since}" if told.since else str(told.version)


def metadata_record_data(record: MetadataRecord) -> dict[str, Any]:
    """For programs."""
    return {"metadata_record": asdict(explain_metadata_record(record)), "words": record_sentence(record, {})}
