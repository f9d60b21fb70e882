"""Reads pasted text as records, in whatever envelope it stands, or as bare messages without one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from typing import Any

import pyarrow as pa

from pipeline.kafka.reading.reader import ARROW_SCHEMA, RangeRequest, read_segment
from pipeline.kafka.reading.sniff import sniff_stream
from pipeline.kafka.wording.loggers import MIXED
from pipeline.kafka.wording.templates import matcher

Row = dict[str, Any]
Alternatives = tuple[Row, ...]

COLOUR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
DATE = re.compile(rb"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
BARE = re.compile(
    r"\s*(?:(?P<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL) +)?(?P<message>.+?)(?: \((?P<logger>[\w.$]+)\))?\s*",
    re.DOTALL,
)
DATES_TRIED = 4
PREFIX_BYTES = 4096
BARE_LINES = 200
BARE_CHARACTERS = 1 << 20


@dataclass(frozen=True)
class Pasted:
    """`records`: one row of bronze.log_record each, or one for each logger that may have printed it.

    `envelope`: None for bare messages, which have no time. `left_out`: what was passed over, in words.
    """

    records: tuple[Alternatives, ...]
    envelope: str | None
    left_out: str = ""


def pasted(data: bytes, zone: str | None = None) -> Pasted:
    """All records of a text. Without any: one row with the reason no_envelope, or blank.

    `zone`: IANA name of the zone of the times; without it `logged_at` is null.
    """
    data = data if data.endswith(b"\n") else data + b"\n"
    plain = COLOUR.sub(b"", data)
    for text, left_out in _attempts(data, plain):
        rows, envelope = rows_of(text, zone)
        if envelope is not None:
            return Pasted(tuple((row,) for row in rows), envelope, left_out)
    bare = _bare(plain.decode("utf-8", "replace").rstrip("\r\n"))
    if bare:
        return Pasted(tuple(bare), None, "colour codes" if plain != data else "")
    return Pasted(((unread(data),),), None)


def unread(data: bytes) -> Row:
    """The row of text in which no record begins."""
    reason = "no_envelope" if data.strip() else "blank"
    return dict.fromkeys(ARROW_SCHEMA.names) | {"not_understood_reason": reason, "raw": data}


def _attempts(data: bytes, plain: bytes) -> Iterator[tuple[bytes, str]]:
    """The text as it is, without colour codes, and from a date of its first line on: `grep` and shippers put
    words before the time."""
    yield data, ""
    if plain != data:
        yield plain, "colour codes"
    first = plain[: min(plain.find(b"\n"), PREFIX_BYTES)]
    for number, found in enumerate(DATE.finditer(first)):
        if found.start() and number < DATES_TRIED:
            before = first[: found.start()].decode("utf-8", "replace").strip()
            yield plain[found.start() :], f"the beginning of the line, '{before}'"


def rows_of(data: bytes, zone: str | None = None) -> tuple[list[Row], str | None]:
    """The records of a text in an envelope, without blank ones, and the envelope; None: there is none."""
    found, _ = sniff_stream(BytesIO(data))
    if found.envelope is None:
        return [], None
    request = request_for(found.envelope, found.log or MIXED, 0, len(data), zone)
    batches = read_segment(BytesIO(data), request)
    rows: list[Row] = pa.Table.from_batches(batches, ARROW_SCHEMA).to_pylist()
    told = [row if zone else row | {"logged_at": None} for row in rows]
    return [row for row in told if row["not_understood_reason"] != "blank"], found.envelope


def request_for(envelope: str, log: str, start: int, end: int, zone: str | None) -> RangeRequest:
    """A range that belongs to no cluster and no run."""
    return RangeRequest(
        cluster_id="",
        node_id=None,
        log=log,
        file_id="",
        load_seq=0,
        zone=zone or "UTC",
        envelope=envelope,
        start=start,
        end=end,
        limit=None,
        owns_preamble=start == 0,
    )


def _bare(text: str) -> list[Alternatives]:
    """Messages that stand alone: each line that is one begins a record, or all of the text is one.

    Each is tried as every logger's; text of more than a mebibyte is none.
    """
    if len(text) > BARE_CHARACTERS:
        return []
    lines = text.split("\n")[:BARE_LINES]
    known = _read_as_message(lines)
    if 0 not in known:
        whole = _read_as_message([text])
        return [_alternatives(*whole[0])] if whole else []
    places = sorted(known)
    return [
        _alternatives(*known[place], "\n".join(lines[place + 1 : following]))
        for place, following in pairwise([*places, len(lines)])
    ]


def _read_as_message(texts: Sequence[str]) -> dict[int, tuple[str, str | None, list[str]]]:
    """By place: message, level and loggers of the texts that some logger prints; the most literal wording counts."""
    sources = sorted(matcher().sources)
    tried: list[tuple[int, str, str, str | None]] = []
    for place, text in enumerate(texts):
        said = BARE.fullmatch(text)
        if said is not None:
            own = said["logger"] in sources
            message = said["message"] if own else text[said.start("message") :].rstrip("\r")
            loggers = [said["logger"]] if own else sources
            tried += [(place, message, logger, said["level"]) for logger in loggers]
    if not tried:
        return {}
    found = matcher().match(pa.array([one[2] for one in tried]), pa.array([one[1] for one in tried]))
    length = [matcher().templates[n].literal_length if n >= 0 else -1 for n in found.template.tolist()]
    best: dict[int, int] = {}
    for (place, *_), size in zip(tried, length, strict=True):
        best[place] = max(size, best.get(place, 0))
    hits: dict[int, tuple[str, str | None, list[str]]] = {}
    for (place, message, logger, level), size in zip(tried, length, strict=True):
        if size == best[place]:
            hits.setdefault(place, (message, level, []))[2].append(logger)
    return hits


def _alternatives(message: str, level: str | None, loggers: Sequence[str], rest: str = "") -> Alternatives:
    """The rows of a message as if Kafka had printed it, without the time that nobody knows."""
    found = []
    for logger in loggers:
        line = f"[1970-01-01 00:00:00,000] {level or 'INFO'} {message} ({logger})\n{rest}".rstrip("\n")
        rows, _ = rows_of(f"{line}\n".encode())
        raw = f"{message}\n{rest}".rstrip("\n").encode()
        found.append(rows[0] | {"logged_local": None, "level": level, "raw": raw})
    return tuple(found)
