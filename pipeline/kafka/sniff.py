"""Looks at the beginning of a file: is it a Kafka log, in which envelope, which log, written by whom."""

import re
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.scan import joined, scan
from pipeline.kafka.envelope import Envelope, envelopes
from pipeline.kafka.loggers import MIXED, log_of
from pipeline.kafka.record_text import RecordText, record_text
from pipeline.kafka.wording import table

HEAD_BYTES = 256 << 10
# Loggers that only a Kafka server has, at the beginning of the name.
KAFKA_LOGGERS = re.compile(
    r"(?:kafka|org\.apache\.kafka\.(?:controller|server|raft|metadata|image))\.|state\.change\.logger$|kafka$"
)


@dataclass(frozen=True)
class Sniff:
    """`envelope`: a name in envelopes.tsv, None if no record was found.

    `log`: controller, state-change, server or mixed; None: no log of a Kafka server.
    `node_ids`: the writers that idents name.
    """

    envelope: str | None
    log: str | None
    node_ids: frozenset[int]


def sniff(head: bytes) -> Sniff:
    """Judges by the first HEAD_BYTES of the file, uncompressed; the last record may be cut there.

    Of the envelopes the one with the most whole records counts, of equals the first in the table.
    A file with loggers of both server.log and another log is mixed (a container's stdout).
    """
    head = head[:HEAD_BYTES]
    read = [
        (envelope, text) for envelope in envelopes().values() if (text := _text(head, envelope)) is not None
    ]
    if not read:
        return Sniff(None, None, frozenset())
    envelope, text = max(read, key=lambda pair: int(pair[1].is_whole.sum()))
    loggers = [name for name in pc.unique(text.logger.drop_null()).to_pylist() if KAFKA_LOGGERS.match(name)]
    return Sniff(envelope.name, _log([log_of(name) for name in loggers]), _writers(text))


def _text(head: bytes, envelope: Envelope) -> RecordText | None:
    batches = list(scan(BytesIO(head), 0, len(head), len(head), envelope.start, owns_preamble=False))
    return record_text(joined(batches), envelope) if batches else None


def _log(logs: list[str]) -> str | None:
    found = set(logs)
    if not found:
        return None
    return MIXED if len(found) > 1 else found.pop()


@lru_cache(maxsize=1)
def _idents() -> tuple[str, ...]:
    return tuple(row["pattern"] for row in table("idents.tsv"))


def _writers(text: RecordText) -> frozenset[int]:
    messages = text.message.filter(pa.array(text.is_whole))
    found: set[int] = set()
    for pattern in _idents():
        caught = pc.extract_regex(messages, pattern).drop_null()
        found |= {int(node) for node in pc.unique(caught.field("node")).to_pylist()}
    return frozenset(found)
