"""Streams that a reader may not choke on, made as they are read."""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.opening import open_input

MB = 1 << 20
TIME = b"[2024-03-01 12:00:00,123] "
END = b" (kafka.controller.KafkaController)\n"
LINE = TIME + b"INFO [Controller id=1] Resigning" + END
DUMP = (
    TIME
    + b"INFO [ReplicaStateMachine controllerId=1] Started replica state machine with initial state -> Map("
)
DUMP_END = b") (kafka.controller.ReplicaStateMachine)\n"
ELEMENTS = 1_000_000


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    """About `size` bytes of pieces, in blocks of about a megabyte."""
    block = piece * max(1, MB // len(piece))
    for _ in range(max(1, size // len(block))):
        yield block


def long_line() -> Iterator[bytes]:
    yield LINE + TIME + b"INFO "
    yield from repeated(b"x", 100 * MB)
    yield END + LINE


def dump() -> Iterator[bytes]:
    """A controller's initial state of a million replicas, 56 MB in one line."""
    yield LINE + DUMP
    for first in range(0, ELEMENTS, 10_000):
        texts = (
            f"[Topic=t-{n % 1000},Partition={n // 1000},Replica={n % 7}] -> OnlineReplica, "
            for n in range(first, first + 10_000)
        )
        yield "".join(texts).encode()
    yield DUMP_END + LINE


def nul_bytes() -> Iterator[bytes]:
    yield LINE
    yield from repeated(b"\x00", 40 * MB)
    yield b"\n" + LINE.replace(b"id=1", b"id=\x001")


def broken_utf8() -> Iterator[bytes]:
    yield from repeated(LINE.replace(b"Resigning", b"Resigning\xff\xc3"), 5 * MB)


def colours() -> Iterator[bytes]:
    yield from repeated(b"\x1b[32m" + LINE[:-1] + b"\x1b[0m\n", 20 * MB)


def carriage_returns() -> Iterator[bytes]:
    yield from repeated(LINE.replace(b"\n", b"\r\n"), 5 * MB)


def continuation_lines() -> Iterator[bytes]:
    yield from repeated(
        b"\tat kafka.controller.KafkaController.elect(KafkaController.scala:1245)\n", 100 * MB
    )


def newlines() -> Iterator[bytes]:
    yield from repeated(b"\n", 40 * MB)


def short_lines() -> Iterator[bytes]:
    """One record of ten million lines, then another record."""
    yield LINE
    yield from repeated(b"x\n", 20 * MB)
    yield LINE


def starts_only() -> Iterator[bytes]:
    yield from repeated(TIME + b"\n", 5 * MB)


def random_bytes() -> Iterator[bytes]:
    source = random.Random(7)  # noqa: S311
    for _ in range(25):
        yield source.randbytes(MB)


def uncompressed(path: Path) -> Iterator[bytes]:
    with open_input(str(path), "gzip") as stream:
        while piece := stream.read(MB):
            yield piece


def pack_zeros(path: Path, megabytes: int) -> None:
    """A gzip file of a thousandth of that size."""
    with gzip.open(path, "wb") as stream:
        for _ in range(megabytes):
            stream.write(bytes(MB))


def busy_controller(size: int) -> Iterator[bytes]:
    """Lines of many shapes over and over, with stack traces: a file of any size."""
    kinds = [
        LINE,
        TIME
        + b"TRACE [Controller id=1 epoch=5] Changed partition t-0 state from NewPartition to OfflinePartition (state.change.logger)\n",
        TIME
        + b"ERROR [Controller id=1] Error (kafka.controller.KafkaController)\njava.io.IOException: deep\n\tat a.B.c(B.java:7)\n",
        TIME
        + b"INFO [Controller id=1] New topics: [Set(a, b)], deleted topics: [Set()], new partition replica assignment [Map(a-0 -> Vector(1, 2))]"
        + END,
        TIME + b"INFO started (kafka.server.KafkaServer)\n",
    ]
    yield from repeated(b"".join(kinds), size)
