"""Reads hostile input in a process of its own, with limits, and says what came of it and what it took."""

import io
import resource
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any, BinaryIO, cast

from pipeline.kafka.reading.reader import ReadSettings, read_segment
from tests.kafka.reading import request

ADDRESS_SPACE_BYTES = 12 << 30  # a backstop for the machine; what a test asserts is far below
CPU_SECONDS = 3_600
DEFAULT = ReadSettings()


class Generated(io.RawIOBase):
    """A stream of pieces that are made as they are read: it is on no disk, and cannot seek."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces, self.rest, self.length = pieces, b"", 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self.rest:
            self.rest = next(self.pieces, b"")
        count = min(len(buffer), len(self.rest))
        buffer[:count] = self.rest[:count]
        self.rest = self.rest[count:]
        self.length += count
        return count


@dataclass
class Outcome:
    """`reasons`, `events`: records by their name. `missing_bytes`: of the stream, in no record.
    `peak_mb`: resident memory of the process at its largest, Python and libraries included."""

    reasons: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    records: int = 0
    missing_bytes: int = 0
    longest_field: int = 0
    peak_mb: float = 0
    cpu_seconds: float = 0


def read_bounded(make: Callable[[], Iterator[bytes]], settings: ReadSettings = DEFAULT) -> Outcome:
    """What read_segment makes of the stream, in a process of its own. `make`: a function of a module, or a partial."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.oracle.bounded", "tests.oracle.hostile"])
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_read, make, settings).result()


def _read(make: Callable[[], Iterator[bytes]], settings: ReadSettings) -> Outcome:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    before = resource.getrusage(resource.RUSAGE_SELF)
    stream = Generated(make())
    outcome = Outcome()
    read_bytes = 0
    buffered = cast(BinaryIO, io.BufferedReader(stream))
    for batch in read_segment(buffered, request(0, 1 << 62, log="controller"), settings):
        outcome.records += batch.num_rows
        read_bytes += sum(batch.column("byte_length").to_pylist())
        outcome.reasons.update(batch.column("not_understood_reason").drop_null().to_pylist())
        outcome.events.update(batch.column("event").drop_null().to_pylist())
        if outcome.records < 100:
            texts = [text for entries in batch.column("fields").to_pylist() for _, text in entries or ()]
            outcome.longest_field = max([outcome.longest_field, *map(len, texts)])
    after = resource.getrusage(resource.RUSAGE_SELF)
    outcome.missing_bytes = stream.length - read_bytes
    outcome.peak_mb = after.ru_maxrss / 1024
    outcome.cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return outcome
