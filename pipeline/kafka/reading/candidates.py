"""The envelopes that a file may be in, and how much of its beginning each of them reads."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.scan import ScannedRecords, concat_records, scan_records
from pipeline.kafka.layout.conversion_pattern import NO_LOGGER, Layout
from pipeline.kafka.layout.envelope import PATTERN, Envelope, built_in_layouts, envelope_by_name
from pipeline.kafka.layout.wrapper import wrappers_by_name
from pipeline.kafka.reading.learned_layout import learned_patterns
from pipeline.kafka.reading.prefixes import learned_prefixes
from pipeline.kafka.reading.record_text import RecordText, record_text
from pipeline.kafka.wording.loggers import MIXED, is_kafkas, is_krafts, log_of

MOST_WRAPPERS = 3
HALF = 0.5
# So many whole records of Kafka's, and no other envelope is tried.
NEARLY_ALL = 0.9
# So many of Kafka's wordings, and a file whose layout prints no logger is Kafka's.
LEAST_TOLD = 0.05
# Classes that log for others: where they stand in place of loggers, the layout prints %C.
LOGS_FOR_OTHERS = (
    "Logging",
    "Logging$class",
    "kafka.utils.Logging",
    "kafka.utils.Logging$class",
    "ShutdownableThread",
)


class Look(NamedTuple):
    """What a file is in one envelope.

    `ours`: how many records are of Kafka's loggers. `whole`: how many are whole; where no logger is printed, as many as
    are told. `has_classes`: classes that log for others stand where loggers would. `is_of_others`: all that begins with
    time and level is whole and names its logger; what does not may be Kafka's. `records`, `text`: as they were read.
    """

    envelope: str
    log: str | None
    is_kraft: bool
    ours: int
    whole: int
    record_count: int
    has_classes: bool
    is_of_others: bool
    records: ScannedRecords
    text: RecordText

    def rank(self) -> tuple[bool, int, int]:
        """Of a layout that prints classes some are named as loggers are, and most are not."""
        return self.ours > 0 and not self.has_classes, self.ours, self.whole

    @property
    def is_nearly_whole(self) -> bool:
        return self.log is not None and self.whole >= NEARLY_ALL * (self.record_count - 1)


def best_look(head: bytes, envelopes: Iterable[Envelope]) -> Look | None:
    """The first in which nearly all records are whole and Kafka's, and half of the lines begin one; else that with the
    most records of Kafka's loggers, of those that with the most whole ones; None where no record begins."""
    best: Look | None = None
    for found in envelopes:
        look = _look(head, found)
        if look is not None and (best is None or look.rank() > best.rank()):
            best = look
            is_half = look.whole >= HALF * head.count(b"\n")
            if look.is_nearly_whole and is_half and not look.has_classes:
                break
    return best


def _look(head: bytes, found: Envelope) -> Look | None:
    batches = list(scan_records(BytesIO(head), 0, len(head), len(head), found.start, owns_preamble=False))
    if not any(one.has_start.any() for one in batches):
        return None
    records = concat_records(batches)
    text = record_text(records, found)
    counted = {one["values"]: one["counts"] for one in text.source.drop_null().value_counts().to_pylist()}
    ours = {name: count for name, count in counted.items() if is_kafkas(name)}
    whole = int(text.is_whole.sum())
    if isinstance(found.layout, Layout) and found.layout.logger_form == NO_LOGGER:
        # So few that other programs may have printed them.
        ours = ours if sum(ours.values()) >= LEAST_TOLD * whole else {}
        whole = sum(ours.values())
    return Look(
        envelope=found.name,
        log=_log({log_of(name) for name in ours}),
        is_kraft=any(map(is_krafts, ours)),
        ours=sum(ours.values()),
        whole=whole,
        record_count=len(text.is_whole),
        has_classes=any(name in counted for name in LOGS_FOR_OTHERS),
        is_of_others=_is_of_others(text),
        records=records,
        text=text,
    )


def _log(logs: set[str]) -> str | None:
    return MIXED if len(logs) > 1 else next(iter(logs), None)


def _is_of_others(text: RecordText) -> bool:
    is_told = text.is_whole & text.logger.is_valid().to_numpy(zero_copy_only=False)
    return bool((is_told | text.level.is_null().to_numpy(zero_copy_only=False)).all())


def known_envelopes(sample: pa.Array, given: str | None) -> Iterator[Envelope]:
    """sample: the first lines as one text. given: as sniff takes it."""
    names = list(built_in_layouts())
    if given is not None:
        own = envelope_by_name(given)
        if own.wrappers:
            yield own
            return
        names = [own.name]
    for around, _ in _around(sample):
        for name in names:
            yield envelope_by_name("/".join((*around, name)))


def behind_prefix(head: bytes, sample: pa.Array, given: str | None, *, behind_time: bool) -> Look | None:
    """What a file is whose every line begins with words of the same form, which are no wrapper of wrappers.tsv.

    behind_time: as learned takes it.
    """
    own = None if given is None else envelope_by_name(given)
    if own is not None and own.wrappers:
        return None
    known = built_in_layouts() if own is None else {own.name: own.layout}
    for around, lines in _around(sample):
        for prefix in learned_prefixes(lines, known.values(), NEARLY_ALL, behind_time=behind_time):
            if sum(map(prefix.stands_before, lines)) < NEARLY_ALL * len(lines):
                continue
            for name in known:
                found = envelope_by_name("/".join((*around, prefix.name, name)))
                look = _look(head, found) if prefix.stands_before_records(found.bare) else None
                if look is not None and look.is_nearly_whole:
                    return look
    return None


def learned_envelopes(sample: pa.Array) -> Iterator[Envelope]:
    """In layouts that are not built in."""
    for around, lines in _around(sample):
        for pattern in learned_patterns(lines):
            yield envelope_by_name("/".join((*around, PATTERN + pattern)))


def _around(sample: pa.Array) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The chains of wrappers that may stand around the lines, none first, and what the lines are without them."""
    for around in _chains(sample, MOST_WRAPPERS):
        inner = sample
        for name in around:
            inner = wrappers_by_name()[name].without(inner)
        yield around, [one for one in inner[0].as_py().split("\n") if one.strip()]


def _chains(sample: pa.Array, most: int) -> Iterator[tuple[str, ...]]:
    """Half of the lines have to agree."""
    yield ()
    lines = pc.list_flatten(pc.split_pattern(sample, "\n"))
    lines = lines.filter(pc.match_substring_regex(lines, r"\S"))
    for wrapper in wrappers_by_name().values() if most and len(lines) else ():
        share = wrapper.is_around(lines)
        if share >= HALF or (share and wrapper.kind == "colour"):
            for inner in _chains(wrapper.without(sample), most - 1):
                if wrapper.name not in inner:
                    yield (wrapper.name, *inner)
