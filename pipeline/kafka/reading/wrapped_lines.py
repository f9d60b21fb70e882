"""Records whose lines a page or a terminal broke: what matches no template is read again with its lines as one."""

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.masking import record_bytes_array, select_records, with_values
from pipeline.core.scan import ScannedRecords
from pipeline.core.texts import Mask, Rows
from pipeline.kafka.layout.conversion_pattern import Layout
from pipeline.kafka.layout.envelope import Envelope
from pipeline.kafka.reading.other_layout import ALL, with_rows
from pipeline.kafka.reading.record_text import RecordText, record_text
from pipeline.kafka.reading.understanding import understand_records
from pipeline.kafka.wording.templates import template_matcher

DOUBTFUL = ("no_template", "cut", "other_logger")
# Behind a message: its logger, also with a line of the source, and the thread.
BEHIND_NAME = r"(?::\d+)?\)(?: \[[^\]\n]*\])?[ \r]*"
LOGGER = rf"\([\w$]*[.A-Z][\w.$]*{BEHIND_NAME}"
# The same for Python's engine, which tries no name twice: what is no logger may be of megabytes.
LOGGER_ONCE = rf"\((?=[\w$.]*[.A-Z])[\w.$]++{BEHIND_NAME}"
# How a line of a stack trace begins, also one that lost its indent.
TRACE = (
    r"\s*(?:at [\w.$<>/@-]+\(|Caused by: |Suppressed: |\.\.\. \d+ "
    r"|[\w$]+\.[\w.$]+(?:Exception|Error|Throwable)\b)"
)
ENDS = re.compile(rf"(?:\A|\s){LOGGER_ONCE}\Z".encode())
BEHIND = re.compile(rf"\s*\Z|{TRACE}".encode())
# The message ends with the first line: with the logger, or before a stack trace.
ENDED = rf"\A[^\n]* {LOGGER}\n"
FOLLOWED = rf"\A[^\n]*\n(?:\s*\n|\s*\z|{TRACE})"


def with_lines_joined(
    records: ScannedRecords, text: RecordText, reason: pa.Array, envelope: Envelope, log: str
) -> RecordText:
    """The text with the records read as one line that are understood so, the same object where none is.

    A page breaks a line at a blank, a terminal at any character: both are tried. reason: of each record, as in
    bronze.log_record; only what is not understood is looked at, and nothing that holds the start of another record.
    """
    rows = _asked(records, text, reason, envelope)
    for between in (b" ", b""):
        if not len(rows):
            break
        asked = select_records(records, rows)
        lines = [join_message_lines(one, between) for one in record_bytes_array(asked).to_pylist()]
        joined = with_values(asked, pa.array(lines, pa.binary()))
        read = record_text(joined, envelope)
        told: Mask = understand_records(joined, read, log).event.is_valid().to_numpy(zero_copy_only=False)
        text = with_rows(text, rows, read, told, ALL)
        rows = rows[~told]
    return text


def join_message_lines(record: bytes, between: bytes) -> bytes:
    """The lines of the message joined: up to its logger, else those before a stack trace; what is behind them stays."""
    lines = record.split(b"\n")
    pairs = enumerate(pairwise([b"", *lines]), 1)
    count = next(
        (n for n, (one, two) in pairs if ENDS.search(two) or ENDS.search(one.rstrip(b"\r") + two)), 0
    )
    count = count or next((n for n, line in enumerate(lines) if n and BEHIND.match(line)), len(lines))
    parts, rest = lines[:count], lines[count:]
    parts = [parts[0].rstrip(), *(one.strip() for one in parts[1:])] if between else parts
    return b"\n".join([between.join(one.rstrip(b"\r") for one in parts), *rest])


def ways_to_join(text: str) -> Iterator[str]:
    """The text as one line, if it has more."""
    if "\n" in text:
        for between in (b" ", b""):
            yield join_message_lines(text.encode("utf-8", "surrogateescape"), between).decode(
                "utf-8", "replace"
            )


def _asked(records: ScannedRecords, text: RecordText, reason: pa.Array, envelope: Envelope) -> Rows:
    """Rows that are not understood and whose message may go on in the second line."""
    layout = envelope.layout
    if envelope.wrappers or not isinstance(layout, Layout) or reason.null_count == len(reason):
        return np.zeros(0, np.int64)
    doubtful: Mask = pc.is_in(reason, pa.array(DOUBTFUL)).to_numpy(zero_copy_only=False)
    doubtful &= text.has_start & ~records.is_cut & ~text.looks_forged & (records.line_ends > 1)
    rows = np.flatnonzero(doubtful)
    if len(rows):
        known = pa.array([*sorted(template_matcher().sources), *([] if layout.ends_in_message else [None])])
        is_known = pc.is_in(text.source.take(pa.array(rows)), known)
        rows = rows[is_known.to_numpy(zero_copy_only=False)]
    if len(rows):
        whole = record_bytes_array(records).take(pa.array(rows))
        ended = FOLLOWED if layout.ends_in_message else ENDED
        is_left = pc.match_substring_regex(whole, rf"{ended}|[^\n]\z|\n[^\n]*(?:{envelope.surely})")
        rows = rows[~is_left.to_numpy(zero_copy_only=False)]
    return rows
