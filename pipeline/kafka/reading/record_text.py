"""A batch of records as text: envelope read, message and the lines after it apart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.clock import local_times, local_to_utc, local_to_utc_by_offset
from pipeline.core.scan import ScannedRecords
from pipeline.core.starts import BOM, LF
from pipeline.core.texts import Mask, Rows
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.layout.conversion_pattern import Layout
from pipeline.kafka.layout.envelope import HEAD_GROUPS, Envelope
from pipeline.kafka.layout.json_layout import HeadText, JsonLayout, json_text
from pipeline.kafka.layout.wrapper import Wrapper, unwrap_records
from pipeline.kafka.reading.plain_head import plain_heads
from pipeline.kafka.reading.told_loggers import resolve_loggers

# What ends a message of Kafka's, and no line of a stack trace.
FOREIGN_END = r"(?m) \((?:kafka|state\.change|org\.apache\.kafka)[\w.$]*\)(?: \[[^\]\n]*\])?\r?$"


@dataclass(frozen=True)
class RecordText:
    """One place a record. `message`, `logger`, `rest` are null where `is_whole` is false: no end of the
    message was found. `rest`: the lines after the message, usually a stack trace, "" if none.
    `has_start`: whether it begins as records of a layout do.
    `instant`: the time in UTC where the record or its layout tells it; None: none of them does.
    `tried`: the logger of which the wordings are tried; None, and null: `logger`, as it is told."""

    logged_local: pa.Array
    level: pa.Array
    logger: pa.Array
    message: pa.Array
    rest: pa.Array
    is_whole: Mask
    is_bad_bytes: Mask
    is_blank: Mask
    looks_forged: Mask
    has_start: Mask
    instant: pa.Array | None = None
    tried: pa.Array | None = None

    @property
    def source(self) -> pa.Array:
        """The logger of which the wordings are tried."""
        return self.logger if self.tried is None else pc.coalesce(self.tried, self.logger)


def record_text(
    records: ScannedRecords, envelope: Envelope, as_read: ScannedRecords | None = None
) -> RecordText:
    """Reads the envelope of every record; bytes that are not UTF-8 are replaced and marked.

    `as_read`: the records as they were before they were masked: their lengths tell which are cut.
    """
    texts, is_bad_bytes = _decoded(records)
    inside = records
    if envelope.wrappers or _has_mark(records):
        texts = pc.replace_substring_regex(texts, r"\A\x{FEFF}", "")
        texts, inside = unwrap_records(texts, records, envelope.wrappers)
    layout = envelope.layout
    if isinstance(layout, JsonLayout):
        read = json_text(texts, layout)
    else:
        read = _plain_text(texts, inside, envelope.bare, layout)
        if layout.ends_in_message:
            if as_read is not None and as_read is not records:
                records, inside = as_read, without_wrappers(as_read, envelope.wrappers)
            read = _without_cut(read, _cut(records, inside))
    return RecordText(
        logged_local=read.local,
        level=read.level,
        logger=read.logger,
        message=read.message,
        rest=read.rest,
        is_whole=read.message.is_valid().to_numpy(zero_copy_only=False),
        is_bad_bytes=is_bad_bytes,
        is_blank=_blank(texts, records),
        looks_forged=_forged(records, read.message, read.rest, envelope),
        has_start=records.has_start,
        instant=read.instant,
        tried=read.tried,
    )


def _has_mark(records: ScannedRecords) -> bool:
    """Whether a record begins with a byte order mark."""
    if records.is_ascii:
        return False
    first = records.bounds[:-1][np.diff(records.bounds) >= len(BOM)]
    at = np.stack([first + place for place in range(len(BOM))], axis=1)
    marks = np.frombuffer(records.data, np.uint8)[at] == np.frombuffer(BOM, np.uint8)
    return bool(marks.all(axis=1).any())


def _plain_text(texts: pa.Array, inside: ScannedRecords, bare: Envelope, layout: Layout) -> HeadText:
    group = _groups(texts, inside, bare, layout)
    local = local_times(group["time"], layout.time_format)
    logger, message, rest = (group[name] for name in ("logger", "message", "rest"))
    tried = None
    if layout.logger_form != "full":
        logger, tried = resolve_loggers(logger, message, layout.logger_form)
    return HeadText(local, _instant(local, group, layout), group["level"], logger, message, rest, tried)


def _without_cut(read: HeadText, is_cut: Mask) -> HeadText:
    message, rest = (pc.if_else(pa.array(is_cut), None, column) for column in (read.message, read.rest))
    return replace(read, message=message, rest=rest)


def without_wrappers(records: ScannedRecords, around: Sequence[Wrapper]) -> ScannedRecords:
    return unwrap_records(_decoded(records)[0], records, around)[1]


def _instant(local: pa.Array, group: dict[str, pa.Array], layout: Layout) -> pa.Array | None:
    printed = local_to_utc_by_offset(local, group["zone"]) if "zone" in group else None
    if layout.zone is None:
        return printed
    return local_to_utc(local, layout.zone, printed)


@lru_cache(maxsize=1)
def _limits() -> list[int]:
    return [int(row["bytes"]) for row in read_fact_table("layout/line_limits.tsv")]


def _cut(records: ScannedRecords, inside: ScannedRecords) -> Mask:
    """Where the first line is as long as a shipper lets it be, or its parts were to go on and did not."""
    is_at_limit = np.isin(_first_line_bytes(inside), _limits()) | np.isin(
        _first_line_bytes(records), _limits()
    )
    result: Mask = is_at_limit | ((inside.line_ends == 0) & (records.line_ends > 0))
    return result


def _first_line_bytes(records: ScannedRecords) -> npt.NDArray[np.int64]:
    """Length of each record's first line without its line end."""
    data = np.frombuffer(records.data, np.uint8)
    line_ends = np.concatenate([np.flatnonzero(data == LF), [len(data)]])
    begin, end = records.bounds[:-1], records.bounds[1:]
    length: npt.NDArray[np.int64] = np.minimum(line_ends[np.searchsorted(line_ends, begin)], end) - begin
    return length


def _decoded(records: ScannedRecords) -> tuple[pa.Array, Mask]:
    count = len(records)
    bad = np.zeros(count, np.bool_)
    buffers = [None, pa.py_buffer(records.bounds), pa.py_buffer(records.data)]
    if records.is_ascii:
        return pa.Array.from_buffers(pa.string(), count, buffers), bad
    binary = pa.Array.from_buffers(pa.binary(), count, buffers)
    try:
        return binary.cast(pa.string()), bad
    except pa.ArrowInvalid:
        pass
    high = np.flatnonzero(np.frombuffer(records.data, np.uint8) >= 0x80)
    doubtful = np.unique(np.searchsorted(records.bounds, high, side="right") - 1)
    texts: list[bytes] = binary.to_pylist()
    for row in doubtful.tolist():
        decoded = texts[row].decode("utf-8", errors="replace").encode()
        bad[row] = decoded != texts[row]
        texts[row] = decoded
    return pa.array(texts, pa.binary()).cast(pa.string()), bad


def _groups(texts: pa.Array, records: ScannedRecords, bare: Envelope, layout: Layout) -> dict[str, pa.Array]:
    """The head's groups, null where the head is not found; what stands before the message also where only
    that is found."""
    plain, group = plain_heads(texts, records, bare)
    if plain.all():
        return group
    caught = _caught(texts.filter(pa.array(~plain)), layout)
    if not plain.any():
        return caught
    # The few others are put among the plain ones: a copy a column, where taking and joining would be three.
    mask = pa.array(~plain)
    return {name: pc.replace_with_mask(group[name], mask, caught[name]) for name in HEAD_GROUPS}


def _caught(texts: pa.Array, layout: Layout) -> dict[str, pa.Array]:
    none = pa.nulls(len(texts), pa.string())
    group = dict.fromkeys(HEAD_GROUPS, none)
    left = np.ones(len(texts), np.bool_)
    for pattern in layout.heads:
        caught = pc.extract_regex(texts.filter(pa.array(left)), pattern)
        is_caught = caught.is_valid()
        rows = left.copy()
        rows[left] = is_caught.to_numpy(zero_copy_only=False)
        for field in caught.type:
            value = caught.field(field.name)
            group[field.name] = (
                value
                if rows.all()
                else pc.replace_with_mask(
                    group.get(field.name, none), pa.array(rows), value.filter(is_caught)
                )
            )
        left &= ~rows
        if not left.any():
            break
    return group


def _blank(texts: pa.Array, records: ScannedRecords) -> Mask:
    blank = np.zeros(len(texts), np.bool_)
    for row in np.flatnonzero(~records.has_start).tolist():
        blank[row] = not texts[row].as_py().strip()
    return blank


def _forged(records: ScannedRecords, message: pa.Array, rest: pa.Array, envelope: Envelope) -> Mask:
    """Where a name with a line end seems to have forged a record.

    What can be known: (1) the message itself, up to its logger, holds a start after a carriage return or on
    an indented line; (2) the lines after the message end in ` (logger)` of Kafka's, which a stack trace does
    not: then the record is the forged one, or begins in it. A line feed followed by a perfect start cannot be
    told from two records; the first of the two then has no logger and is `cut`, the second shows (2).
    """
    result = np.zeros(len(message), np.bool_)
    rows = _of_several_lines(records, message, envelope)
    if len(rows):
        inside = pc.match_substring_regex(message.take(pa.array(rows)), envelope.forged)
        result[rows] = inside.to_numpy(zero_copy_only=False)
    is_followed = pc.fill_null(pc.not_equal(pc.binary_length(rest), 0), False)
    rows = np.flatnonzero(is_followed.to_numpy(zero_copy_only=False))
    if len(rows):
        followed = pc.match_substring_regex(rest.take(pa.array(rows)), FOREIGN_END)
        result[rows] |= followed.to_numpy(zero_copy_only=False)
    return result


def _of_several_lines(records: ScannedRecords, message: pa.Array, envelope: Envelope) -> Rows:
    """Rows whose message may hold a line feed or a carriage return."""
    if not envelope.wrappers and isinstance(envelope.layout, Layout) and b"\r" not in records.data:
        return np.flatnonzero(records.line_ends > 1)
    return _with_line_end(message)


def _with_line_end(texts: pa.Array) -> Rows:
    """Rows that hold a line feed or a carriage return."""
    bounds = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)[: bounds[-1]]
    ends = np.flatnonzero((data == 10) | (data == 13))
    return np.unique(np.searchsorted(bounds, ends[ends >= bounds[0]], side="right") - 1)
