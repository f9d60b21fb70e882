"""Looks at the beginning of a file: is it a Kafka log, in which envelope, which log, written by whom."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.fingerprint import first_line_hash
from pipeline.core.scan import DEFAULT_MAX_RECORD_BYTES, ScannedRecords, scan_records
from pipeline.kafka.layout.envelope import STOCK, built_in_envelopes
from pipeline.kafka.reading.candidates import (
    NEARLY_ALL,
    Look,
    behind_prefix,
    best_look,
    known_envelopes,
    learned_envelopes,
)
from pipeline.kafka.reading.masking import Masking
from pipeline.kafka.reading.other_layout import text_by_other_layout
from pipeline.kafka.reading.record_text import RecordText
from pipeline.kafka.reading.understanding import understand_records
from pipeline.kafka.reading.writers import message_writers
from pipeline.kafka.wording.loggers import MIXED, SERVER

HEAD_BYTES = 256 << 10
# By so much the head grows while nothing is found in it.
GROWTH = 16
# Enough lines to see what stands around all.
SAMPLE_BYTES = 32 << 10
# Printed by log4j itself, of no node.
JMX_NOISE = "log4j_jmx_noise"


@dataclass(frozen=True)
class Sniff:
    """`envelope`: the name of an envelope, None if no record was found.

    `log`: controller, state-change, server or mixed; None: no log of a Kafka server.
    `node_ids`: the writers that idents name. `is_kraft`: loggers of a KRaft node are in it.
    """

    envelope: str | None
    log: str | None
    node_ids: frozenset[int]
    is_kraft: bool = False


def sniff_stream(
    stream: BinaryIO,
    given: str | None = None,
    log: str | None = None,
    *,
    most: int = DEFAULT_MAX_RECORD_BYTES,
    until: int | None = None,
    learns: bool = True,
) -> tuple[Sniff, bytes]:
    """Judges by the first HEAD_BYTES, which are given back, and by more, up to `most`, while no log is found in them:
    the first record may be longer, or what is left of one.

    log: as kind_of takes it. until: what comes behind is not seen. learns: as sniff takes it.
    """
    head, size = b"", HEAD_BYTES
    while True:
        head += stream.read((size if until is None else min(size, until)) - len(head))
        found = sniff_head(head, given, size, learns=learns)
        is_found = found.envelope is not None and kind_of(found, log) is not None
        if is_found or len(head) < size or size >= most:
            return found, head[:HEAD_BYTES]
        size = min(size * GROWTH, most)


def kind_of(found: Sniff, log: str | None) -> str | None:
    """The log that a file is; log: as its path says it. A console in an envelope of its own is mixed, though it begins
    with the lines of server.log: the others follow."""
    if log == "server" and found.log in ("server", None):
        return "server"
    is_console = log is None and found.log == "server" and found.envelope != STOCK
    return "mixed" if is_console else found.log


def sniff_head(
    head: bytes, given: str | None = None, most: int = HEAD_BYTES, *, learns: bool = True
) -> Sniff:
    """Judges by the first `most` bytes of the file, uncompressed; the last record may be cut there.

    The first envelope counts in which nearly all records are whole and Kafka's, and half of the lines begin
    one; else the one with the most records of Kafka's loggers, of those the one with the most whole records:
    few wrappers are tried first, then as the tables are ordered.
    `given`: the envelope, or the layout without its wrappers, that conf names; no other is tried then.
    A file with loggers of both server.log and another log is mixed (a container's stdout).
    Where no log of Kafka's is found so, the layout is learned from lines that say what Kafka says.
    learns: a prefix is looked for first that every line has.
    """
    head = head[:most]
    sample = _sample(head)
    best = best_look(head, known_envelopes(sample, given))
    if learns and (best is None or best.log is None):
        behind = behind_prefix(head, sample, given, behind_time=best is None or best.is_of_others)
        best = best if behind is None else behind
    if given is None and (best is None or best.log is None or best.has_classes):
        learned = best_look(head, learned_envelopes(sample))
        best = max(filter(None, (best, learned)), key=Look.rank, default=None)
    if best is None:
        return Sniff(None, None, frozenset())
    return with_writers(Sniff(best.envelope, best.log, frozenset(), best.is_kraft), head, best)


def _sample(head: bytes) -> pa.Array:
    """One text: the first lines; where the first one may be longer than that, those behind it, too."""
    behind = head.find(b"\n") if len(head) > HEAD_BYTES else len(head)
    sample = head[:SAMPLE_BYTES] + head[behind : behind + SAMPLE_BYTES]
    return pa.array([sample.decode("utf-8", "replace").removeprefix("\ufeff")])


def with_writers(found: Sniff, part: bytes, look: Look | None = None) -> Sniff:
    """The same with the writers that records in a part of the file name, which begins where a line does. Files of
    several nodes that were put together have the one at the beginning and another at the end. look: as _records
    takes it."""
    named: set[int] = set()
    for _, text in _records(found, part, look):
        named |= set(pc.unique(_names(text).drop_null()).to_pylist())
    return replace(found, node_ids=found.node_ids | named)


def has_named_writers(found: Sniff, *parts: bytes) -> bool:
    """Whether of a file of several nodes nearly all records that are understood in these parts name their writer.

    Those of server.log need not: half of them name none, and they are counted as missing.
    """
    named = told = 0
    for records, text in (one for part in parts for one in _records(found, part)):
        read = understand_records(records, text, found.log or MIXED)
        counts = pc.fill_null(pc.not_equal(read.event, JMX_NOISE), False)
        counts = pc.and_(counts, pc.not_equal(read.log, SERVER))
        told += counts.true_count
        named += pc.and_(counts, _names(text).is_valid()).true_count
    return named >= NEARLY_ALL * told


def _records(
    found: Sniff, part: bytes, look: Look | None = None
) -> Iterator[tuple[ScannedRecords, RecordText]]:
    """The records that begin in a part of a file. look: into the same part in the same envelope, whose text is not made
    a second time where no record of another layout stands between."""
    if found.envelope is None or not part:
        return
    own = built_in_envelopes()[found.envelope]
    for records in scan_records(
        BytesIO(part), 0, len(part), len(part), own.start, other=own.other_start, owns_preamble=False
    ):
        is_read = look is not None and np.array_equal(records.offset, look.records.offset)
        yield records, text_by_other_layout(records, own, own_text=look.text if look and is_read else None)


def _names(text: RecordText) -> pa.Array:
    """By record the node that it names as its writer; of one that is not whole none is known."""
    return pc.if_else(pa.array(text.is_whole), message_writers(text.message), None)


def content_name(head: bytes, envelope: str, masking: Masking | None = None) -> str | None:
    """The name of a content by its first HEAD_BYTES; None while no line of it is whole.

    masking: its key goes into the name, as what a line says could be found by hashing guesses.
    """
    found = first_line_hash(head, built_in_envelopes()[envelope].any_start_pattern, HEAD_BYTES)
    return found if found is None or masking is None else masking.masker.digest(found)
