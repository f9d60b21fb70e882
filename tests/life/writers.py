"""What brokers write: records one after the other, as bytes, each with the time at which it is written."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from random import Random

# A writer gives its next record for the time at which it is written.
Writer = Callable[[datetime], bytes]

START = re.compile(rb"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] ")
TIME_BYTES = len("[2026-11-21 08:00:00,000]")
IDENT = re.compile(rb"\[Controller id=(\d+)\][^\n]*\(kafka\.controller\.KafkaController\)")
TRACE = (
    b"java.lang.IllegalStateException: x\n\tat kafka.controller.KafkaController.y(KafkaController.scala:1)\n"
)


def made_up(random: Random, number: int, node_id: int, silent: int = 0, alike: int = 0) -> Writer:
    """Lines of a controller.log, some with a stack trace. silent: how many first lines name no node;
    alike: how many are the same in every such log."""
    count = 0

    def write(at: datetime) -> bytes:
        nonlocal count
        count += 1
        if count <= alike:
            return line(datetime(2026, 11, 21, tzinfo=UTC), f"start {count}")
        ident = "" if count <= max(silent, alike) else f"[Controller id={node_id}] "
        trace = TRACE if random.random() < 0.15 else b""
        return line(at, f"{ident}{'x' * random.randrange(30)} {number} {count}") + trace

    return write


def line(at: datetime, message: str) -> bytes:
    time = at.isoformat(" ", "milliseconds")[:23].replace(".", ",")
    return f"[{time}] INFO {message} (kafka.controller.KafkaController)\n".encode()


def repeated(content: bytes, years: int = 0, *, by_time: bool = False) -> Writer:
    """The records of a real log, so many years later; from its beginning with an earlier year once used up.

    by_time: those of one millisecond are written at once, so that no file ends among them: of equal lines before and
    after such an end nobody can tell whether they are one that was copied.
    """
    starts = [match.start() for match in re.finditer(rb"^" + START.pattern, content, re.M)]
    records = [content[a:b] for a, b in zip(starts, [*starts[1:], len(content)], strict=True)]
    groups = [[one] for one in records]
    if by_time:
        groups = [list(some) for _, some in groupby(records, itemgetter(slice(TIME_BYTES)))]
    count = 0

    def write(at: datetime) -> bytes:
        nonlocal count
        lap, place = divmod(count, len(groups))
        count += 1
        return b"".join(b"[%d" % (int(one[1:5]) + years - lap) + one[5:] for one in groups[place])

    return write


def records_of(content: bytes) -> list[bytes]:
    """The records of a content, line by line; what stands before the first one is one by itself."""
    found: list[bytes] = []
    for part in content.splitlines(keepends=True):
        if START.match(part) or not found:
            found.append(part)
        else:
            found[-1] += part
    return found


def node_in(content: bytes) -> int | None:
    """The node that its lines name."""
    said = IDENT.search(content)
    return int(said[1]) if said else None
