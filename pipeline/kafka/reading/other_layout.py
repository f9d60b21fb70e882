"""Records that are in another layout than their file: it was changed while the file was written."""

import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.masking import record_bytes_array, select_records
from pipeline.core.scan import ScannedRecords
from pipeline.core.starts import LF, START_BYTES, start_finder
from pipeline.core.texts import Mask, Rows, scatter_values
from pipeline.kafka.layout.envelope import Envelope
from pipeline.kafka.reading.record_text import RecordText, record_text
from pipeline.kafka.wording.loggers import is_kafkas

# Of another program's loggers those that are named as classes are. What it failed with may stand in that place.
CLASS = re.compile(r"[a-z]\w*(?:\.[a-z_]\w*)+\.[A-Z][\w$]*")
FAILURES = ("Exception", "Error")
TIMES = ("logged_local", "instant", "level")
ALL = tuple(one.name for one in fields(RecordText))


def text_by_other_layout(
    records: ScannedRecords,
    envelope: Envelope,
    as_read: ScannedRecords | None = None,
    own_text: RecordText | None = None,
) -> RecordText:
    """record_text, with records in which the envelope finds no start or no time read as the first other layout reads
    them that finds a whole message of Kafka's or, if none does, of a logger that is named as a class; so are records
    that begin as its own do and are not whole in it, by what is Kafka's alone: layouts differ at the end of the line.

    Of others that begin as a record does time and level are told, as far as a layout finds them; so of what was cut
    out by rules that saw one record where there are more. as_read: as record_text takes it. own_text: what that
    makes of these records, where it is known.
    """
    text = record_text(records, envelope, as_read) if own_text is None else own_text
    is_unread = ~records.has_start | text.logged_local.is_null().to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(is_unread | ~(text.is_whole | text.is_blank | records.is_cut))
    if not len(rows) or envelope.other_start is None:
        return text
    rows = rows[_begins(records, rows, envelope.other_start.pattern)]
    of_others: list[tuple[Rows, RecordText]] = []
    for other in envelope.others:
        own = rows[_begins(records, rows, other.surely)]
        own = own[_begins(records, own, other.start)]
        if not len(own):
            continue
        begun = _begun(records, own)
        read = record_text(begun, other, None if as_read is None else _begun(as_read, own))
        is_one = read.is_whole & ~_holds_more(begun, envelope)
        is_one &= _are(read.source, lambda name: CLASS.fullmatch(name) is not None or is_kafkas(name))
        is_one &= ~_are(read.source, lambda name: name.endswith(FAILURES))
        is_found = is_one & _are(read.source, is_kafkas)
        is_other = is_one & ~is_found & is_unread[own]
        is_timed = read.logged_local.is_valid().to_numpy(zero_copy_only=False)
        is_timed &= text.logged_local.take(pa.array(own)).is_null().to_numpy(zero_copy_only=False)
        text = with_rows(text, own, read, is_timed & ~is_found, TIMES)
        text = with_rows(text, own, read, is_found, ALL)
        of_others.append((own[is_other], _filtered(read, is_other)))
        rows = np.setdiff1d(rows, own[is_found])
    for own, read in of_others:
        is_left = np.isin(own, rows)
        text = with_rows(text, own, read, is_left, ALL)
        rows = np.setdiff1d(rows, own)
    return text


def _begins(records: ScannedRecords, rows: Rows, start: str) -> Mask:
    heads = pc.binary_slice(record_bytes_array(records).take(pa.array(rows)), 0, START_BYTES)
    found: Mask = pc.match_substring_regex(heads, rf"\A(?:\xEF\xBB\xBF)?(?:{start})").to_numpy(
        zero_copy_only=False
    )
    return found


def _holds_more(records: ScannedRecords, envelope: Envelope) -> Mask:
    """In which another record begins, as in what was read before other layouts were looked for."""
    starts, _ = start_finder(envelope.start, envelope.other_start)(records.data, len(records.data), LF)
    inside = np.setdiff1d(starts, records.bounds)
    return np.isin(np.arange(len(records)), np.searchsorted(records.bounds, inside, side="right") - 1)


def _are(loggers: pa.Array, holds: Callable[[str], bool]) -> Mask:
    """Of which it holds; of none that is null."""
    coded = loggers.dictionary_encode()
    known = pa.array([holds(name) for name in coded.dictionary.to_pylist()], pa.bool_()).take(coded.indices)
    found: Mask = pc.fill_null(known, False).to_numpy(zero_copy_only=False)
    return found


def _filtered(text: RecordText, kept: Mask) -> RecordText:
    columns: dict[str, Any] = {name: getattr(text, name) for name in ALL}
    for name, one in columns.items():
        if one is not None:
            columns[name] = one[kept] if isinstance(one, np.ndarray) else one.filter(pa.array(kept))
    return RecordText(**columns)


def _begun(records: ScannedRecords, rows: Rows) -> ScannedRecords:
    """These records alone, each with a start."""
    return replace(select_records(records, rows), has_start=np.ones(len(rows), np.bool_))


def with_rows(
    text: RecordText, rows: Rows, read: RecordText, is_taken: Mask, names: tuple[str, ...]
) -> RecordText:
    """The text with these columns of `read` in those of its rows that are taken."""
    if not is_taken.any():
        return text
    count, rows = len(text.is_whole), rows[is_taken]
    mask = np.zeros(count, np.bool_)
    mask[rows] = True
    changed: dict[str, Any] = {}
    for name in names:
        old, new = getattr(text, name), getattr(read, name)
        if isinstance(old, np.ndarray):
            both = old.copy()
            both[rows] = new[is_taken]
            changed[name] = both
        elif new is not None or old is not None:
            missing = pa.nulls(len(is_taken), old.type) if new is None else new
            there = scatter_values(missing.filter(pa.array(is_taken)), rows, count)
            changed[name] = there if old is None else pc.if_else(pa.array(mask), there, old)
    return replace(text, **changed)
