"""Reads a range of a log file: Arrow batches of records with envelope, event and fields, or why not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.clock import local_to_utc
from pipeline.core.gather import MAP_TYPE
from pipeline.core.scan import DEFAULT_MAX_RECORD_BYTES, ScannedRecords, concat_records, scan_records
from pipeline.kafka.layout.envelope import Envelope, built_in_envelopes
from pipeline.kafka.reading.masking import Masking, mask_records
from pipeline.kafka.reading.other_layout import text_by_other_layout
from pipeline.kafka.reading.record_text import RecordText
from pipeline.kafka.reading.torn_lines import split_torn_records
from pipeline.kafka.reading.understanding import Understood, understand_records
from pipeline.kafka.reading.wrapped_lines import with_lines_joined
from pipeline.kafka.reading.writers import message_writers
from pipeline.kafka.wording.templates import BROKER_IDS_TYPE, COLUMN_TYPES
from schemas.bronze import log_record

_OTHER_TYPES: dict[str, pa.DataType] = {
    "cluster_id": pa.string(),
    "node_id": pa.int32(),
    "log": pa.string(),
    "file_id": pa.string(),
    "load_seq": pa.int64(),
    "byte_offset": pa.int64(),
    "byte_length": pa.int64(),
    "line_count": pa.int64(),
    "raw": pa.binary(),
    "logged_at": pa.timestamp("us", tz="UTC"),
    "logged_local": pa.timestamp("us"),
    "level": pa.string(),
    "logger": pa.string(),
    "event": pa.string(),
    "template": pa.string(),
    "not_understood_reason": pa.string(),
    "is_forged": pa.bool_(),
    "isr": BROKER_IDS_TYPE,
    "replicas": BROKER_IDS_TYPE,
    "fields": MAP_TYPE,
}

ARROW_SCHEMA = pa.schema(
    [
        pa.field(f.name, (_OTHER_TYPES | COLUMN_TYPES)[f.name], nullable=f.nullable)
        for f in log_record.SPEC.fields
    ]
)


@dataclass(frozen=True)
class RangeRequest:
    """One range [start, end) of one file. `limit`: end of the data to be seen, None = end of the stream.

    `log`: the file's log (controller, state-change, server or mixed). `owns_preamble`: whether text before
    the first record belongs to this range: true for the first range of a segment. `zone`: IANA name of the
    zone that the times are printed in. `is_shared`: several nodes wrote the file; each record is of the one that
    it names.
    """

    cluster_id: str
    node_id: int | None
    log: str
    file_id: str
    load_seq: int
    zone: str
    envelope: str
    start: int
    end: int
    limit: int | None
    owns_preamble: bool
    is_shared: bool = False


@dataclass(frozen=True)
class ReadSettings:
    """`block_bytes`: read at once, and so the size of a batch; it changes no row."""

    block_bytes: int = 8 << 20
    max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES
    masking: Masking | None = None


def read_segment(
    stream: BinaryIO, request: RangeRequest, settings: ReadSettings = ReadSettings()
) -> Iterator[pa.RecordBatch]:
    """One row a record that starts in the range, in order, of schema ARROW_SCHEMA.

    The lengths of all ranges that tile a segment add up to its bytes, masked or not. Any tiling and block
    size gives the same rows.
    """
    for records in scan_range(stream, request, settings):
        yield _whole(records, request, settings)[0]


def scan_range(stream: BinaryIO, request: RangeRequest, settings: ReadSettings) -> Iterator[ScannedRecords]:
    """The records of the range, not understood yet."""
    envelope = built_in_envelopes()[request.envelope]
    return scan_records(
        stream,
        request.start,
        request.end,
        request.limit,
        envelope.start,
        other=envelope.other_start,
        owns_preamble=request.owns_preamble,
        block_bytes=settings.block_bytes,
        max_record_bytes=settings.max_record_bytes,
    )


def read_together(
    segments: Sequence[tuple[ScannedRecords, RangeRequest]], settings: ReadSettings = ReadSettings()
) -> pa.RecordBatch:
    """One batch of whole segments, in their order: understanding costs by the batch where records are few. They differ
    in file_id and load_seq alone, and each ends with its line."""
    batch, records = _whole(concat_records([one for one, _ in segments]), segments[0][1], settings)
    ends = np.cumsum([len(one.data) for one, _ in segments])
    of_segment = pa.array(np.searchsorted(ends, records.bounds[:-1], side="right"))
    for name in ("file_id", "load_seq"):
        place = ARROW_SCHEMA.get_field_index(name)
        said = pa.array([getattr(request, name) for _, request in segments], ARROW_SCHEMA.field(place).type)
        batch = batch.set_column(place, ARROW_SCHEMA.field(place), said.take(of_segment))
    return batch


def _whole(
    records: ScannedRecords, request: RangeRequest, settings: ReadSettings
) -> tuple[pa.RecordBatch, ScannedRecords]:
    """Also what begins inside a line; the records as they are then."""
    envelope = built_in_envelopes()[request.envelope]
    batch = _read(records, envelope, request, settings)
    parts = split_torn_records(
        records, batch["not_understood_reason"], batch["is_forged"], envelope, request.log
    )
    return (batch if parts is records else _read(parts, envelope, request, settings)), parts


def _read(
    records: ScannedRecords, envelope: Envelope, request: RangeRequest, settings: ReadSettings
) -> pa.RecordBatch:
    shown = records if settings.masking is None else mask_records(records, envelope, settings.masking)
    text = _without_torn_end(records, text_by_other_layout(shown, envelope, records))
    return _batch(shown, text, request)


def reparse_segment(stored: pa.RecordBatch, request: RangeRequest) -> pa.RecordBatch:
    """Records of one segment (ARROW_SCHEMA) understood anew from their stored bytes: places stay, and what is whole.

    stored: rows that have bytes. start and end of the request do not matter.
    """
    raw = stored.column("raw").cast(pa.large_binary())
    envelope = built_in_envelopes()[request.envelope]
    # What is masked may be shorter or longer than what a start was looked for in.
    had_start = pc.fill_null(pc.not_equal(stored.column("not_understood_reason"), "no_envelope"), True)
    has_start = pc.and_(had_start, pc.match_substring_regex(raw, rf"\A(?:\xEF\xBB\xBF)?(?:{envelope.start})"))
    bounds = np.frombuffer(raw.buffers()[1], np.int64, len(raw) + 1, raw.offset * 8)
    records = ScannedRecords(
        offset=stored.column("byte_offset").to_numpy(),
        length=stored.column("byte_length").to_numpy(),
        line_ends=stored.column("line_count").to_numpy(),
        is_cut=pc.fill_null(pc.equal(stored.column("not_understood_reason"), "too_long"), False).to_numpy(
            zero_copy_only=False
        ),
        has_start=has_start.to_numpy(zero_copy_only=False),
        data=raw.buffers()[2].to_pybytes()[bounds[0] : bounds[-1]] if len(raw) else b"",
        bounds=(bounds - bounds[0]).astype(np.int32),
    )
    text = text_by_other_layout(records, envelope)
    return _batch(records, text, request)


def _without_torn_end(records: ScannedRecords, text: RecordText) -> RecordText:
    """Only the last record of the data can lack its line end; one over the limit is `too_long` already."""
    if records.data.endswith(b"\n") or bool(records.is_cut[-1]):
        return text
    is_torn = np.arange(len(records)) == len(records) - 1
    ended = pa.array(is_torn)
    return replace(
        text,
        message=pc.if_else(ended, None, text.message),
        logger=pc.if_else(ended, None, text.logger),
        tried=None if text.tried is None else pc.if_else(ended, None, text.tried),
        rest=pc.if_else(ended, None, text.rest),
        is_whole=text.is_whole & ~is_torn,
        looks_forged=text.looks_forged & ~is_torn,
    )


def _batch(records: ScannedRecords, text: RecordText, request: RangeRequest) -> pa.RecordBatch:
    count = len(records)
    node_id, found = _understood(records, text, request)
    joined = with_lines_joined(
        records, text, found.reason, built_in_envelopes()[request.envelope], request.log
    )
    if joined is not text:
        text = joined
        node_id, found = _understood(records, text, request)
    columns: dict[str, pa.Array] = {
        "cluster_id": pa.repeat(pa.scalar(request.cluster_id), count),
        "node_id": node_id,
        "log": found.log,
        "file_id": pa.repeat(pa.scalar(request.file_id), count),
        "load_seq": pa.repeat(pa.scalar(request.load_seq, pa.int64()), count),
        "byte_offset": pa.array(records.offset),
        "byte_length": pa.array(records.length),
        "line_count": pa.array(records.line_ends),
        "raw": _raw(records, found.keeps_bytes),
        "logged_at": local_to_utc(text.logged_local, request.zone, text.instant),
        "logged_local": text.logged_local,
        "level": text.level,
        "logger": text.logger,
        "event": found.event,
        "template": found.template,
        "not_understood_reason": found.reason,
        "is_forged": found.is_forged,
        **found.columns,
        "fields": found.fields,
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in ARROW_SCHEMA.names], schema=ARROW_SCHEMA)


def _understood(
    records: ScannedRecords, text: RecordText, request: RangeRequest
) -> tuple[pa.Array, Understood]:
    """By record the node that wrote it, and what it says."""
    if not request.is_shared:
        node_id = pa.repeat(pa.scalar(request.node_id, pa.int32()), len(records))
        return node_id, understand_records(records, text, request.log)
    node_id = message_writers(text.message)
    is_named = node_id.is_valid().to_numpy(zero_copy_only=False)
    return node_id, understand_records(records, text, request.log, is_named)


def _raw(records: ScannedRecords, kept: np.typing.NDArray[np.bool_]) -> pa.Array:
    if not kept.any():
        return pa.nulls(len(records), pa.binary())
    buffers = [None, pa.py_buffer(records.bounds), pa.py_buffer(records.data)]
    whole = pa.Array.from_buffers(pa.binary(), len(records), buffers)
    if kept.all():
        return whole
    return whole.take(pa.array(np.arange(len(records)), mask=~kept))
