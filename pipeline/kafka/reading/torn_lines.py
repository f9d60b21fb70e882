"""Records that begin inside a line: what was written before them was torn, and had no line end."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.beginnings import beginning_of
from pipeline.core.masking import record_bytes_array, select_records
from pipeline.core.scan import ScannedRecords
from pipeline.core.starts import LF, ZERO
from pipeline.core.texts import Mask, Rows
from pipeline.kafka.layout.conversion_pattern import Layout
from pipeline.kafka.layout.envelope import Envelope
from pipeline.kafka.reading.record_text import record_text
from pipeline.kafka.reading.understanding import understand_records

# What is of no known logger ends in no record of Kafka's, and what is blank holds none.
DOUBTFUL = ("no_template", "several_templates", "bad_bytes", "no_envelope", "cut")
Place = tuple[int, bool]


def split_torn_records(
    records: ScannedRecords, reason: pa.Array, is_forged: pa.Array, envelope: Envelope, log: str
) -> ScannedRecords:
    """The same bytes with a record of its own from each place inside a line on at which one begins that is understood.

    So a process goes on that was started after a power cut, and a file behind one that ended inside a line. Only
    records that are not understood, or in which the lines behind the message end as Kafka's do, are looked into; what
    an indented line or one with a carriage return holds is none. A last line that is torn inside of a start is none of
    the record before it, nor are zero bytes. reason, is_forged: of each record, as columns of bronze.log_record.
    """
    layout = envelope.layout
    # Where nothing is printed behind the message, a message may say anything up to the end of its line.
    if envelope.wrappers or not isinstance(layout, Layout) or layout.ends_in_message:
        return records
    torn = _torn_ends(records, envelope)
    inside = _inside(records, reason, is_forged, envelope, log)
    return _with_starts(records, sorted([*torn, *inside])) if torn or inside else records


def _torn_ends(records: ScannedRecords, envelope: Envelope) -> list[Place]:
    """In each record that does not end with its line: where zero bytes end it, and before that where the last of its
    lines begins if that is the beginning of a start."""
    found: list[Place] = []
    last = np.frombuffer(records.data, np.uint8)[records.bounds[1:] - 1]
    for row in np.flatnonzero((last != LF) & ~records.is_cut).tolist():
        begin, end = int(records.bounds[row]), int(records.bounds[row + 1])
        said = records.data[begin:end].rstrip(ZERO)
        line = said.rfind(b"\n") + 1
        if line and _torn_start(envelope).fullmatch(said, line):
            found.append((begin + line, False))
        if said and begin + len(said) < end:
            found.append((begin + len(said), False))
    return found


def _inside(
    records: ScannedRecords, reason: pa.Array, is_forged: pa.Array, envelope: Envelope, log: str
) -> list[Place]:
    doubtful = pc.or_(pc.is_in(reason, pa.array(DOUBTFUL)), is_forged).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(doubtful & ~records.is_cut)
    if not len(rows):
        return []
    lines = record_bytes_array(records).take(pa.array(rows))
    found = pc.match_substring_regex(lines, rf"[^\s][^\r\n]*(?:{envelope.surely})")
    rows = rows[found.to_numpy(zero_copy_only=False)]
    places = [one for row in rows.tolist() for one in _places(records, row, envelope)]
    if not places:
        return []
    own = _of_places(records, [place for place, is_own in places if is_own])
    text = record_text(own, envelope)
    understood = understand_records(own, text, log).event.is_valid().to_numpy(zero_copy_only=False)
    return _kept(places, understood)


def _places(records: ScannedRecords, row: int, envelope: Envelope) -> Iterator[Place]:
    """In the bytes of all records, where a line of the record goes on with the last start in it, and before that where
    the line begins if it was torn inside of a start. is_own: whether it is a start."""
    begin, end = int(records.bounds[row]), int(records.bounds[row + 1])
    inside = _pattern(f"(?={envelope.surely})")
    at = begin
    while at < end:
        stop = records.data.find(b"\n", at, end)
        stop = end if stop < 0 else stop
        starts = [one.start() for one in inside.finditer(records.data, at + 1, stop)]
        before = records.data[at : starts[-1]] if starts else b""
        if before.strip() and b"\r" not in before:
            if at > begin and _torn_start(envelope).fullmatch(before):
                yield at, False
            yield starts[-1], True
        at = stop + 1


@lru_cache(maxsize=64)
def _pattern(regex: str) -> re.Pattern[bytes]:
    return re.compile(regex.encode())


@lru_cache(maxsize=64)
def _torn_start(envelope: Envelope) -> re.Pattern[bytes]:
    parts = envelope.layout.start if isinstance(envelope.layout, Layout) else ()
    return _pattern(beginning_of("".join(part.pattern for part in parts)))


def _of_places(records: ScannedRecords, places: Sequence[int]) -> ScannedRecords:
    """What follows each of these places in its record."""
    parts = _with_starts(records, [(place, True) for place in places])
    return select_records(parts, np.searchsorted(parts.bounds, places))


def _kept(places: Sequence[Place], understood: Mask) -> list[Place]:
    """Places at which a record begins that is understood, each with the torn line before it."""
    kept: list[Place] = []
    told = iter(understood.tolist())
    torn: list[Place] = []
    for one in places:
        if not one[1]:
            torn = [one]
            continue
        kept += [*torn, one] if next(told) else []
        torn = []
    return kept


def _with_starts(records: ScannedRecords, places: Sequence[Place]) -> ScannedRecords:
    begins = np.array([place for place, _ in places], np.int64)
    bounds = np.union1d(records.bounds.astype(np.int64), begins)
    of_record: Rows = np.searchsorted(records.bounds, bounds[:-1], side="right") - 1
    is_same = np.diff(bounds) == np.diff(records.bounds)[of_record]
    ends = np.searchsorted(np.flatnonzero(np.frombuffer(records.data, np.uint8) == LF), bounds)
    has_start = records.has_start[of_record]
    has_start[np.searchsorted(bounds, begins)] = [is_own for _, is_own in places]
    return replace(
        records,
        offset=records.offset[of_record] + bounds[:-1] - records.bounds[of_record],
        length=np.where(is_same, records.length[of_record], np.diff(bounds)),
        line_ends=np.where(is_same, records.line_ends[of_record], np.diff(ends)),
        is_cut=records.is_cut[of_record],
        has_start=has_start,
        bounds=bounds.astype(np.int32),
    )
