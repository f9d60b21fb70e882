"""Reads `[time] LEVEL message (logger)` on one line by places of bytes: most records need no regex."""

import re

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.scan import ScannedRecords
from pipeline.core.starts import fixed_start
from pipeline.core.texts import Mask, Rows, Spans, cut_strings, scatter_values
from pipeline.kafka.layout.envelope import HEAD_GROUPS, Envelope

PLAIN_ENVELOPE = "stock"
LEVEL_AT = len("[yyyy-MM-dd HH:mm:ss,SSS] ")
SHORTEST = LEVEL_AT + len("INFO  (a)\n")
LEVEL_WIDTHS = (4, 5)

PIECES = ("time", "level", "message", "logger")

Bytes = npt.NDArray[np.uint8]


def plain_heads(
    texts: pa.Array, records: ScannedRecords, envelope: Envelope
) -> tuple[Mask, dict[str, pa.Array]]:
    """Where the record is of that plain form, and the envelope's groups, which count only there.

    Says the same as the regex of the envelope on these records and nothing on others (measured: a fifth of
    its time). Level and logger are checked once a distinct text.
    """
    count = len(records)
    if envelope.name != PLAIN_ENVELOPE:
        return np.zeros(count, np.bool_), {}
    bounds = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + count + 1].astype(
        np.int64
    )
    data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    start, end = bounds[:-1], bounds[1:]
    plain = records.has_start & ~records.is_cut & (records.line_ends == 1) & (end - start >= SHORTEST)
    rows = np.flatnonzero(plain)
    spans, holds = _spans(data, start[rows], end[rows])
    # A start that was torn is none for sure before it is put together.
    holds &= fixed_start(envelope.start)(b"", data, start[rows])
    if not holds.all():
        rows, spans = rows[holds], [(begin[holds], stop[holds]) for begin, stop in spans]
    if not len(rows):
        return np.zeros(count, np.bool_), {}
    group = {
        name: scatter_values(cut_strings(texts.buffers()[2], *span), rows, count)
        for name, span in zip(PIECES, spans, strict=True)
    }
    group["rest"] = pa.repeat(pa.scalar(""), count)
    plain = _named(group["level"], r"[A-Z]+") & _named(group["logger"], r"[A-Za-z_][\w.$-]*")
    return plain, {name: group[name] for name in HEAD_GROUPS}


def _spans(data: Bytes, start: Rows, end: Rows) -> tuple[list[Spans], Mask]:
    """Spans of PIECES per record, and where all of them hold."""
    stop = end - 1
    holds = data[stop] == ord("\n")
    stop = stop - (data[stop - 1] == ord("\r"))
    holds &= data[stop - 1] == ord(")")
    opening = np.append(np.flatnonzero(data == ord("(")), 0)
    bracket = opening[np.searchsorted(opening[:-1], stop) - 1]
    level = start + LEVEL_AT
    is_short = data[level + LEVEL_WIDTHS[0]] == ord(" ")
    level_end = level + np.where(is_short, *LEVEL_WIDTHS)
    holds &= data[level_end] == ord(" ")
    holds &= (bracket > level_end + 1) & (bracket < stop) & (data[bracket - 1] == ord(" "))
    return [
        (start + 1, level - 2),
        (level, level_end),
        (level_end + 1, bracket - 1),
        (bracket + 1, stop - 1),
    ], holds


def _named(text: pa.Array, pattern: str) -> Mask:
    coded = text.dictionary_encode()
    known = pa.array(
        [re.fullmatch(pattern, name, re.ASCII) is not None for name in coded.dictionary.to_pylist()],
        pa.bool_(),
    )
    result: Mask = pc.fill_null(known.take(coded.indices), False).to_numpy(zero_copy_only=False)
    return result
