"""A batch of records as text: envelope read, message and the lines after it apart."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.clock import local_times
from pipeline.core.scan import Records
from pipeline.kafka.envelope import HEAD_GROUPS, Envelope
from pipeline.kafka.loggers import full_names
from pipeline.kafka.plain_head import plain_heads
from pipeline.kafka.wording import matcher

Mask = npt.NDArray[np.bool_]

# What ends a message of Kafka's, and no line of a stack trace.
FOREIGN_END = r"(?m) \((?:kafka|state\.change|org\.apache\.kafka)[\w.$]*\)\r?$"


@dataclass(frozen=True)
class RecordText:
    """One place a record. `message`, `logger`, `rest` are null where `is_whole` is false: no end of the
    message was found. `rest`: the lines after the message, usually a stack trace, "" if none."""

    logged_local: pa.Array
    level: pa.Array
    logger: pa.Array
    message: pa.Array
    rest: pa.Array
    is_whole: Mask
    is_bad_bytes: Mask
    is_blank: Mask
    looks_forged: Mask


def record_text(records: Records, envelope: Envelope) -> RecordText:
    """Reads the envelope of every record; bytes that are not UTF-8 are replaced and marked."""
    texts, is_bad_bytes = _decoded(records)
    group = _groups(texts, records, envelope)
    if not records.has_start.all():
        has_start = pa.array(records.has_start)
        group = {name: pc.if_else(has_start, found, None) for name, found in group.items()}
    logger = group["logger"]
    if envelope.logger_form == "short":
        coded = logger.dictionary_encode()
        names = full_names(coded.dictionary.to_pylist(), sorted(matcher().sources))
        logger = pa.array(names, pa.string()).take(coded.indices)
    message = group["message"]
    return RecordText(
        logged_local=local_times(group["time"], envelope.time_format),
        level=group["level"],
        logger=logger,
        message=message,
        rest=group["rest"],
        is_whole=message.is_valid().to_numpy(zero_copy_only=False),
        is_bad_bytes=is_bad_bytes,
        is_blank=_blank(texts, records),
        looks_forged=_forged(message, group["rest"], envelope),
    )


def _decoded(records: Records) -> tuple[pa.Array, Mask]:
    count = len(records)
    bad = np.zeros(count, np.bool_)
    buffers = [None, pa.py_buffer(records.bounds), pa.py_buffer(records.data)]
    if records.data.isascii():
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


def _groups(texts: pa.Array, records: Records, envelope: Envelope) -> dict[str, pa.Array]:
    """The head's groups, null where the head is not found; time and level also where only they are."""
    plain, group = plain_heads(texts, records, envelope)
    if plain.all():
        return group
    caught = _caught(texts.filter(pa.array(~plain)), envelope)
    if not plain.any():
        return caught
    # The few others are put among the plain ones: a copy a column, where taking and joining would be three.
    mask = pa.array(~plain)
    return {name: pc.replace_with_mask(group[name], mask, caught[name]) for name in HEAD_GROUPS}


def _caught(texts: pa.Array, envelope: Envelope) -> dict[str, pa.Array]:
    caught = pc.extract_regex(texts, envelope.head)
    group = {name: pc.if_else(caught.is_valid(), caught.field(name), None) for name in HEAD_GROUPS}
    if caught.null_count:
        partly = pc.extract_regex(texts, envelope.beginning)
        for name in envelope.beginning_groups:
            group[name] = pc.coalesce(group[name], pc.if_else(partly.is_valid(), partly.field(name), None))
    return group


def _blank(texts: pa.Array, records: Records) -> Mask:
    blank = np.zeros(len(texts), np.bool_)
    for row in np.flatnonzero(~records.has_start).tolist():
        blank[row] = not texts[row].as_py().strip()
    return blank


def _forged(message: pa.Array, rest: pa.Array, envelope: Envelope) -> Mask:
    """Where a name with a line end seems to have forged a record.

    What can be known: (1) the message itself, up to its logger, holds a start after a carriage return or on
    an indented line; (2) the lines after the message end in ` (logger)` of Kafka's, which a stack trace does
    not: then the record is the forged one, or begins in it. A line feed followed by a perfect start cannot be
    told from two records; the first of the two then has no logger and is `cut`, the second shows (2).
    """
    result = np.zeros(len(message), np.bool_)
    rows = _with_line_end(message)
    if len(rows):
        inside = pc.match_substring_regex(message.take(pa.array(rows)), envelope.forged)
        result[rows] = inside.to_numpy(zero_copy_only=False)
    is_followed = pc.fill_null(pc.not_equal(pc.binary_length(rest), 0), False)
    rows = np.flatnonzero(is_followed.to_numpy(zero_copy_only=False))
    if len(rows):
        followed = pc.match_substring_regex(rest.take(pa.array(rows)), FOREIGN_END)
        result[rows] |= followed.to_numpy(zero_copy_only=False)
    return result


def _with_line_end(texts: pa.Array) -> npt.NDArray[np.int64]:
    """Rows that hold a line feed or a carriage return."""
    bounds = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)[: bounds[-1]]
    ends = np.flatnonzero((data == 10) | (data == 13))
    found = np.searchsorted(bounds, ends[ends >= bounds[0]], side="right") - 1
    return np.unique(found)
