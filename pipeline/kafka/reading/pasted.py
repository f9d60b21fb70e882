"""Reads pasted text as records, in whatever envelope it stands, or as bare messages without one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, islice, pairwise
from typing import Any

import pyarrow as pa

from pipeline.kafka.layout.envelope import built_in_layouts
from pipeline.kafka.layout.prefix import PREFIX
from pipeline.kafka.reading.learned_layout import LEVEL, wordings_in_lines
from pipeline.kafka.reading.prefixes import learned_prefixes
from pipeline.kafka.reading.reader import ARROW_SCHEMA, RangeRequest, read_segment
from pipeline.kafka.reading.sniff import sniff_stream
from pipeline.kafka.reading.wrapped_lines import ways_to_join
from pipeline.kafka.wording.exception_lines import of_trace
from pipeline.kafka.wording.loggers import MIXED, is_kafkas
from pipeline.kafka.wording.templates import template_matcher

Row = dict[str, Any]
Alternatives = tuple[Row, ...]

COLOUR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
DATE = re.compile(rb"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
BARE = re.compile(
    r"\s*(?:(?P<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL) +)?(?P<message>.+?)(?: \((?P<logger>[\w.$]+)\))?\s*",
    re.DOTALL,
)
DATES_TRIED = 4
# So many lines tell what stands before the time, and of those with a time so large a part has it there.
LINES_LEARNED, MOST = 2000, 0.5
BETWEEN_GROUPS = "--"  # of lines, as grep -A and -C print it
PREFIX_BYTES = 4096
TRACE_BYTES = 65_536  # an exception is looked for in so many
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


def read_pasted_text(data: bytes, zone: str | None = None) -> Pasted:
    """All records of a text. Without any: one row with the reason no_envelope, or blank.

    `zone`: IANA name of the zone of the times; without it `logged_at` is null.
    """
    data = data if data.endswith(b"\n") else data + b"\n"
    plain = COLOUR.sub(b"", data)
    texts = {data: "", plain: "colour codes"} if plain != data else {data: ""}
    as_it_is = [one for text, left_out in texts.items() for one in _read(text, left_out, zone)]
    for found in chain(as_it_is, _freed(plain, as_it_is, zone)):
        if _is_read_well(found):
            return found
    for found in chain(as_it_is, _from_dates(plain, zone)):
        return found
    text = plain.decode("utf-8", "replace").rstrip("\r\n")
    bare = _bare(text)
    if bare:
        return Pasted(tuple(bare), None, "colour codes" if plain != data else "")
    inside = _inside(text)
    if inside:
        return Pasted(tuple(inside), None, "what stands around the message, as the layout is not known")
    return Pasted(((unread_text_row(data),),), None)


def _is_read_well(found: Pasted) -> bool:
    """Whether a record of Kafka's is among them, none is cut, none begins inside a line, and none holds what looks like
    another one, nor does the text before the first."""
    rows = [row for (row,) in found.records]
    is_odd = any(row["is_forged"] or row["not_understood_reason"] == "cut" for row in rows)
    before = rows[0]["raw"] if rows and rows[0]["not_understood_reason"] == "no_envelope" else b""
    is_in_line = any(not (row["raw"] or b"\n").endswith(b"\n") for row in rows[:-1])
    return not (is_odd or is_in_line or DATE.search(before)) and any(
        is_kafkas(row["logger"] or "") for row in rows
    )


def unread_text_row(data: bytes) -> Row:
    """The row of text in which no record begins; of a stack trace alone with its exception."""
    reason = "no_envelope" if data.strip() else "blank"
    name, message = of_trace(data[:TRACE_BYTES].decode("utf-8", "replace")) or (None, None)
    told = {"exception_class": name, "exception_message": message, "raw": data}
    return dict.fromkeys(ARROW_SCHEMA.names) | {"not_understood_reason": reason} | told


def _read(text: bytes, left_out: str, zone: str | None) -> Iterator[Pasted]:
    """The records of a text, if it is in an envelope."""
    rows, envelope = rows_in_envelope(text, zone)
    if envelope is not None:
        yield Pasted(tuple((row,) for row in rows), envelope, left_out)


def _freed(plain: bytes, as_it_is: Sequence[Pasted], zone: str | None) -> Iterator[Pasted]:
    """Without what stands before the time of most lines, whatever printed it.

    What stands inside of a record that may be Kafka's is no record.
    """
    text = plain.decode("utf-8", "surrogateescape")
    lines = [one for one in text.split("\n") if one.strip() and one != BETWEEN_GROUPS][:LINES_LEARNED]
    behind_time = not any(_may_be_kafkas(row) for one in as_it_is for (row,) in one.records)
    own = built_in_layouts().values()
    for prefix in learned_prefixes(lines, own, MOST, behind_time=behind_time, may_be_none=True):
        freed = re.sub(rf"(?m)^(?:{prefix.name.removeprefix(PREFIX)})", "", text, flags=re.ASCII)
        left_out = _left_out(prefix.before, sum(map(prefix.stands_before, lines)))
        yield from _read(freed.encode("utf-8", "surrogateescape"), left_out, zone)


def _may_be_kafkas(row: Row) -> bool:
    return row["not_understood_reason"] == "cut" or is_kafkas(row["logger"] or "")


def _from_dates(plain: bytes, zone: str | None) -> Iterator[Pasted]:
    """Each line from a date of it on."""
    first = plain[: min(plain.find(b"\n"), PREFIX_BYTES)]
    for number, found in enumerate(islice(DATE.finditer(first), DATES_TRIED)):
        if found.start():
            before = first[: found.start()].decode("utf-8", "surrogateescape")
            lines = [_from_date(line, number) for line in plain.split(b"\n")]
            left_out = _left_out(before, sum(DATE.match(one) is not None for one in lines))
            yield from _read(b"\n".join(lines), left_out, zone)


def _from_date(line: bytes, number: int) -> bytes:
    """The line from that date of it on; without one as it is."""
    dates = [one.start() for one in islice(DATE.finditer(line[:PREFIX_BYTES]), DATES_TRIED)]
    return line[dates[number] :] if number < len(dates) else line


def _left_out(before: str, line_count: int) -> str:
    shown = before.strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if not shown:
        return ""
    if line_count == 1:
        return f"the beginning of the line, '{shown}'"
    return f"what stands before the time of each line, '{shown}' in the first"


def rows_in_envelope(data: bytes, zone: str | None = None) -> tuple[list[Row], str | None]:
    """The records of a text in an envelope, without blank ones, and the envelope; None: there is none."""
    found, _ = sniff_stream(BytesIO(data), learns=False)
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
        tried = (_read_as_message([one]) for one in (text, *ways_to_join(text)))
        return next(([_alternatives(*whole[0])] for whole in tried if whole), [])
    places = sorted(known)
    return [
        _alternatives(*known[place], "\n".join(lines[place + 1 : following]))
        for place, following in pairwise([*places, len(lines)])
    ]


def _inside(text: str) -> list[Alternatives]:
    """Messages in lines of a layout that cannot be read, as one without a date."""
    lines = [one.rstrip("\r") for one in text.split("\n")[:BARE_LINES]]
    said = {one.line: one for one in wordings_in_lines(lines) if not one.is_of_others}
    places = [place for place, line in enumerate(lines) if line in said]
    first = "\n".join(lines[: places[0]] if places else ())
    found: list[Alternatives] = [(unread_text_row(first.encode()),)] if first.strip() else []
    for place, following in pairwise([*places, len(lines)]):
        one = said[lines[place]]
        level = LEVEL.search(one.before)
        rest = "\n".join(lines[place + 1 : following])
        found.append(_alternatives(one.message, level and level[0], one.loggers, rest))
    return found


def _read_as_message(texts: Sequence[str]) -> dict[int, tuple[str, str | None, list[str]]]:
    """By place: message, level and loggers of the texts that some logger prints; the most literal wording counts."""
    sources = sorted(template_matcher().sources)
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
    found = template_matcher().match(pa.array([one[2] for one in tried]), pa.array([one[1] for one in tried]))
    length = [
        template_matcher().templates[n].literal_length if n >= 0 else -1 for n in found.template.tolist()
    ]
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
        rows, _ = rows_in_envelope(f"{line}\n".encode())
        raw = f"{message}\n{rest}".rstrip("\n").encode()
        found.append(rows[0] | {"logged_local": None, "level": level, "raw": raw})
    return tuple(found)
