"""What brokers write: records one after the other, as bytes, each with the time at which it is written."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

# A writer gives its next record for the time at which it is written.
Writer = Callable[[datetime], bytes]

START = re.compile(rb"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] ")
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


def repeated(content: bytes, years: int = 0, step: int = -1) -> Writer:
    """The records of a real log, so many years later; from its beginning once used up, `step` years later."""
    starts = [match.start() for match in re.finditer(rb"^" + START.pattern, content, re.M)]
    records = [content[a:b] for a, b in zip(starts, [*starts[1:], len(content)], strict=True)]
    count = 0

    def write(at: datetime) -> bytes:
        nonlocal count
        lap, place = divmod(count, len(records))
        count += 1
        year = int(records[place][1:5]) + years + step * lap
        return b"[%d" % year + records[place][5:]

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
