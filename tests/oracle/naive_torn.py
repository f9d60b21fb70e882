"""The second reader's way with lines that were torn: what begins inside of them, and behind zero bytes."""

import re
from collections.abc import Iterator
from typing import Any, Protocol

START = re.compile(
    rb"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}[^\n]{0,100}?[^\w\n](TRACE|DEBUG|INFO|WARN|ERROR|FATAL)[^\w]"
)
BARE_START = re.compile(rb"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] ")
SOME_START = b"[2024-03-01 12:00:00,123] "
DOUBTFUL = ("no_template", "several_templates", "bad_bytes", "no_envelope", "cut")

Part = tuple[bytes, bool]


class Told(Protocol):
    """What the reader says of a record."""

    def __call__(self, record: bytes, *, has_start: bool, is_end: bool = False) -> dict[str, Any]: ...


def behind_zeros(line: bytes) -> list[bytes]:
    """A line begins anew behind the zero bytes that a power cut leaves."""
    return re.split(rb"(?<=\0)(?=[^\0])", line)


def apart(record: bytes, told: Told, *, has_start: bool, is_end: bool) -> Iterator[Part]:
    """A record, and whether it begins as one; apart from it what begins inside of its lines and is understood."""
    row = told(record, has_start=has_start, is_end=is_end)
    is_doubtful = row["not_understood_reason"] in DOUBTFUL or row["is_forged"]
    inside = list(_inside(record)) if is_doubtful else []
    places = [(0, has_start)]
    for number, (line, start) in enumerate(inside):
        end = inside[number + 1][1] if number + 1 < len(inside) else len(record)
        if told(record[start:end], has_start=True)["event"]:
            before = record[line:start]
            if line and BARE_START.fullmatch(before + SOME_START[len(before) :]):
                places.append((line, False))
            places.append((start, True))
    last = record.rfind(b"\n") + 1
    said = record.rstrip(b"\0")
    torn = said[last:]
    if last and torn and BARE_START.fullmatch(torn + SOME_START[len(torn) :]):
        places.append((last, False))
    if 0 < len(said) < len(record):
        places.append((len(said), False))
    for number, (start, is_own) in enumerate(places):
        yield record[start : places[number + 1][0] if number + 1 < len(places) else len(record)], is_own


def _inside(record: bytes) -> Iterator[tuple[int, int]]:
    """Where a line begins, and the last start inside of it, behind something else."""
    line = 0
    for text in re.findall(rb"[^\n]*\n|[^\n]+", record):
        starts = [at for at in range(1, len(text)) if text[at : at + 1] == b"[" and START.match(text, at)]
        before = text[: starts[-1]] if starts else b""
        if before.strip() and b"\r" not in before:
            yield line, line + starts[-1]
        line += len(text)
