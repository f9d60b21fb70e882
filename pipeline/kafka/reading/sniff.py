"""Looks at the beginning of a file: is it a Kafka log, in which envelope, which log, written by whom."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.fingerprint import name_of
from pipeline.core.scan import DEFAULT_MAX_RECORD_BYTES, Records, joined, scan
from pipeline.kafka.layout.conversion_pattern import NO_LOGGER, Layout
from pipeline.kafka.layout.envelope import STOCK, Envelope, envelope, envelopes, layouts
from pipeline.kafka.layout.wrapper import wrappers
from pipeline.kafka.reading.masking import Masking
from pipeline.kafka.reading.other_layout import text_of
from pipeline.kafka.reading.prefixes import learned
from pipeline.kafka.reading.record_text import RecordText, record_text
from pipeline.kafka.reading.understanding import understand
from pipeline.kafka.reading.writers import writers
from pipeline.kafka.wording.loggers import MIXED, is_kafkas, is_krafts, log_of

HEAD_BYTES = 256 << 10
# By so much the head grows while nothing is found in it.
GROWTH = 16
# Enough lines to see what stands around all.
SAMPLE_BYTES = 32 << 10
MOST_WRAPPERS = 3
HALF = 0.5
# So many whole records of Kafka's, and no other envelope is tried.
NEARLY_ALL = 0.9
# So many of Kafka's wordings, and a file whose layout prints no logger is Kafka's.
LEAST_TOLD = 0.05
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
        found = sniff(head, given, size, learns=learns)
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


def sniff(head: bytes, given: str | None = None, most: int = HEAD_BYTES, *, learns: bool = True) -> Sniff:
    """Judges by the first `most` bytes of the file, uncompressed; the last record may be cut there.

    The first envelope counts in which nearly all records are whole and Kafka's, and half of the lines begin
    one; else the one with the most records of Kafka's loggers, of those the one with the most whole records:
    few wrappers are tried first, then as the tables are ordered.
    `given`: the envelope, or the layout without its wrappers, that conf names; no other is tried then.
    A file with loggers of both server.log and another log is mixed (a container's stdout).
    learns: where no log of Kafka's is found so, a prefix is looked for that every line has.
    """
    head = head[:most]
    best: tuple[tuple[int, int], Sniff] | None = None
    is_of_others = True
    for found in _candidates(head, given):
        text = _text(head, found)
        if text is None:
            continue
        judged, ours, whole = _judged(found, text)
        if best is None or (ours, whole) > best[0]:
            best, is_of_others = ((ours, whole), judged), _is_of_others(text)
            is_nearly_all = whole >= max(NEARLY_ALL * (len(text.is_whole) - 1), HALF * head.count(b"\n"))
            if judged.log is not None and is_nearly_all:
                break
    if learns and (best is None or best[1].log is None):
        behind = _behind_prefix(head, given, behind_time=is_of_others)
        best = best if behind is None else ((1, 1), behind)
    return Sniff(None, None, frozenset()) if best is None else with_writers(best[1], head)


def _judged(found: Envelope, text: RecordText) -> tuple[Sniff, int, int]:
    """And how many of the records are of Kafka's loggers, none where so few are told by the message alone that other
    programs may have printed them; and how many are whole, of what prints no logger those."""
    counted = {one["values"]: one["counts"] for one in text.source.drop_null().value_counts().to_pylist()}
    ours = {name: count for name, count in counted.items() if is_kafkas(name)}
    whole = int(text.is_whole.sum())
    has_no_logger = isinstance(found.layout, Layout) and found.layout.logger_form == NO_LOGGER
    if has_no_logger and sum(ours.values()) < LEAST_TOLD * whole:
        ours = {}
    count = sum(ours.values())
    judged = Sniff(found.name, _log([log_of(name) for name in ours]), frozenset(), any(map(is_krafts, ours)))
    return judged, count, count if has_no_logger else whole


def _is_of_others(text: RecordText) -> bool:
    """Whether all that begins with time and level is whole and names its logger: one that does not may be Kafka's."""
    is_told = text.is_whole & text.logger.is_valid().to_numpy(zero_copy_only=False)
    return bool((is_told | text.level.is_null().to_numpy(zero_copy_only=False)).all())


def _behind_prefix(head: bytes, given: str | None, *, behind_time: bool) -> Sniff | None:
    """What a file is whose every line begins with words of the same form, which are no wrapper of wrappers.tsv.

    behind_time: as learned takes it.
    """
    own = None if given is None else envelope(given)
    if own is not None and own.wrappers:
        return None
    known = layouts() if own is None else {own.name: own.layout}
    for around in _around(_sample(head), MOST_WRAPPERS):
        inner = _sample(head)
        for name in around:
            inner = wrappers()[name].without(inner)
        lines = [one for one in inner[0].as_py().split("\n") if one.strip()]
        for prefix in learned(lines, known.values(), NEARLY_ALL, behind_time=behind_time):
            if sum(map(prefix.stands_before, lines)) < NEARLY_ALL * len(lines):
                continue
            for name in known:
                found = envelope("/".join((*around, prefix.name, name)))
                is_begun = found.bare.start_pattern.match(prefix.rest.encode("utf-8", "replace"))
                text = _text(head, found) if is_begun else None
                if text is not None:
                    judged, _, whole = _judged(found, text)
                    if judged.log is not None and whole >= NEARLY_ALL * (len(text.is_whole) - 1):
                        return judged
    return None


def _candidates(head: bytes, given: str | None) -> Iterator[Envelope]:
    names = list(layouts())
    if given is not None:
        own = envelope(given)
        if own.wrappers:
            yield own
            return
        names = [own.name]
    for around in _around(_sample(head), MOST_WRAPPERS):
        for name in names:
            yield envelope("/".join((*around, name)))


def _sample(head: bytes) -> pa.Array:
    """One text: the first lines; where the first one may be longer than that, those behind it, too."""
    behind = head.find(b"\n") if len(head) > HEAD_BYTES else len(head)
    sample = head[:SAMPLE_BYTES] + head[behind : behind + SAMPLE_BYTES]
    return pa.array([sample.decode("utf-8", "replace").removeprefix("\ufeff")])


def _around(sample: pa.Array, most: int) -> Iterator[tuple[str, ...]]:
    """The chains of wrappers that may stand around the lines, none first; half of the lines have to agree."""
    yield ()
    lines = pc.list_flatten(pc.split_pattern(sample, "\n"))
    lines = lines.filter(pc.match_substring_regex(lines, r"\S"))
    for wrapper in wrappers().values() if most and len(lines) else ():
        share = wrapper.is_around(lines)
        if share >= HALF or (share and wrapper.kind == "colour"):
            for inner in _around(wrapper.without(sample), most - 1):
                if wrapper.name not in inner:
                    yield (wrapper.name, *inner)


def _text(head: bytes, found: Envelope) -> RecordText | None:
    batches = list(scan(BytesIO(head), 0, len(head), len(head), found.start, owns_preamble=False))
    return record_text(joined(batches), found) if batches else None


def _log(logs: list[str]) -> str | None:
    found = set(logs)
    if not found:
        return None
    return MIXED if len(found) > 1 else found.pop()


def with_writers(found: Sniff, part: bytes) -> Sniff:
    """The same with the writers that records in a part of the file name, which begins where a line does. Files of
    several nodes that were put together have the one at the beginning and another at the end."""
    named: set[int] = set()
    for _, text in _records(found, part):
        named |= set(pc.unique(_names(text).drop_null()).to_pylist())
    return replace(found, node_ids=found.node_ids | named)


def is_told_apart(found: Sniff, *parts: bytes) -> bool:
    """Whether of a file of several nodes nearly all records that are understood in these parts name their writer."""
    named = told = 0
    for records, text in (one for part in parts for one in _records(found, part)):
        event = understand(records, text, found.log or MIXED).event
        counts = pc.fill_null(pc.not_equal(event, JMX_NOISE), False)
        told += counts.true_count
        named += pc.and_(counts, _names(text).is_valid()).true_count
    return named >= NEARLY_ALL * told


def _records(found: Sniff, part: bytes) -> Iterator[tuple[Records, RecordText]]:
    """The records that begin in a part of a file."""
    if found.envelope is None or not part:
        return
    own = envelopes()[found.envelope]
    for records in scan(
        BytesIO(part), 0, len(part), len(part), own.start, other=own.other_start, owns_preamble=False
    ):
        yield records, text_of(records, own)


def _names(text: RecordText) -> pa.Array:
    """By record the node that it names as its writer; of one that is not whole none is known."""
    return pc.if_else(pa.array(text.is_whole), writers(text.message), None)


def content_name(head: bytes, envelope: str, masking: Masking | None = None) -> str | None:
    """The name of a content by its first HEAD_BYTES; None while no line of it is whole.

    masking: its key goes into the name, as what a line says could be found by hashing guesses.
    """
    found = name_of(head, envelopes()[envelope].any_start_pattern, HEAD_BYTES)
    return found if found is None or masking is None else masking.masker.digest(found)
