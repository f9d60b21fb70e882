"""A second reader, slow and easy to believe: line by line, one template after the other, plain `re`.

It shares no code with `pipeline` but the tables of wordings. Its specification is the documentation of `read_segment`
and `Matcher.match`. It knows the stock envelope and the zone UTC.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from tests.oracle.naive_torn import apart, behind_zeros
from tests.oracle.rows import WORDING, Wording, fields, lines, parts, wordings

START = re.compile(rb"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] ")
# So begins a record in another layout, which this reader does not read.
OTHER_START = re.compile(
    rb"(\[\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d,|T\d\d:\d\d:\d\d[,.])\d{3}|"
    rb"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d|T\d\d:\d\d:\d\d[,.]\d{3}))"
    rb"[^\n]{0,100}?[^\w\n](TRACE|DEBUG|INFO|WARN|ERROR|FATAL)[^\w]"
)
HEAD = re.compile(r"\[([0-9 :,-]{23})\] ([A-Z]+) ")
LOGGER = re.compile(r"(.*) \(([A-Za-z_][\w.$-]*)\)", re.DOTALL | re.ASCII)
LISTED = re.compile(LOGGER.pattern + r"(?:\\[nrt]|[ \t,;|\"'`\\]){1,8}", re.DOTALL | re.ASCII)
KAFKAS_LOGGER = re.compile(
    r".* \((kafka|state\.change|org\.apache\.kafka)[\w.$]*\)( \[[^\]]*\])?\r?", re.ASCII
)
EXCEPTION = re.compile(r"((?:[a-zA-Z_][\w$]*\.)+[A-Z][\w$]*)(?:: ([^\r]*))?\r?", re.ASCII)
INNER_START = re.compile(r"[\r\n][ \t]*\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] ", re.ASCII)
LONGEST_BYTES = 16 << 20
NUMBERS = (
    "controller_id", "controller_epoch", "broker_id", "partition", "replica_id", "leader", "leader_epoch",
    "correlation_id",
)  # fmt: skip
LISTS = ("isr", "replicas")
TEXTS = ("topic", "from_state", "to_state", "reason", "exception_class", "exception_message")

Row = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """What a message says; without an event the reason why that is not known."""

    event: str | None
    template: str | None
    reason: str | None
    columns: Row
    fields: list[tuple[str, str]] | None


def read(data: bytes, file_log: str) -> Iterator[Row]:
    """One row a record, with the columns of bronze.log_record that its bytes decide."""
    offset = 0

    def told(record: bytes, *, has_start: bool, is_end: bool = False) -> Row:
        return row(record, file_log, has_start=has_start, is_end=is_end)

    for whole, begins in records(data):
        for record, has_start in apart(
            whole, told, has_start=begins, is_end=offset + len(whole) == len(data)
        ):
            is_end = offset + len(record) == len(data)
            yield told(record, has_start=has_start, is_end=is_end) | {"byte_offset": offset}
            offset += len(record)


def records(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """The records, and whether each begins as one: text before the first does not, nor what is in another layout."""
    kept: list[bytes] = []
    for line in (part for one in _lines(data) for part in behind_zeros(one)):
        is_zero = line.startswith(b"\0") and (not kept or kept[-1].endswith(b"\n"))
        if kept and (is_zero or START.match(line) or OTHER_START.match(line)):
            yield b"".join(kept), bool(START.match(kept[0]))
            kept = []
        kept.append(line)
    if kept:
        yield b"".join(kept), bool(START.match(kept[0]))


def _lines(data: bytes) -> list[bytes]:
    """Only a line feed ends a line."""
    found = [line + b"\n" for line in data.split(b"\n")]
    found[-1] = found[-1][:-1]
    return [line for line in found if line]


def row(record: bytes, file_log: str, *, has_start: bool, is_end: bool) -> Row:
    text = record[:LONGEST_BYTES].decode("utf-8", "replace")
    head = HEAD.match(text) if has_start else None
    local = time_of(head[1]) if head else None
    is_torn = is_end and len(record) <= LONGEST_BYTES and not record.endswith(b"\n")
    inside = text[head.end() :] if head and not is_torn else ""
    body = parted(inside) or parted(inside, LISTED)
    message, logger, rest = body or (None, None, "")
    reason = _reason(record, text, local=local, logger=logger, has_start=has_start)
    said = understood(str(logger), str(message)) if reason is None else Said(None, None, reason, {}, None)
    if said.reason in UNASKED and logger in partly_read():
        said = Said(None, None, "other_logger", {}, None)
    columns: Row = dict.fromkeys((*NUMBERS, *LISTS, *TEXTS)) | said.columns
    for column, value in exception_of(rest).items():
        columns[column] = columns[column] if columns[column] is not None else value
    return columns | {
        "byte_length": len(record),
        "line_count": record.count(b"\n"),
        "raw": None if said.reason in ("other_logger", "blank") else record[:LONGEST_BYTES],
        "logged_local": local,
        "logged_at": local.replace(tzinfo=UTC) if local else None,
        "level": head[2] if head else None,
        "logger": logger,
        "log": log_of(logger, file_log),
        "event": said.event,
        "template": said.template,
        "not_understood_reason": said.reason,
        "is_forged": body is not None and forged(str(message), rest),
        "fields": said.fields,
    }


# Of loggers of which only some lines are asked for.
UNASKED = ("no_template", "several_templates", "bad_bytes")


@cache
def partly_read() -> frozenset[str]:
    return frozenset(row["logger"] for row in lines(WORDING / "partly_read.tsv"))


# Their lines are never left out, whatever they say.
CONTROLLERS = re.compile(r"(?:kafka|org\.apache\.kafka)\.controller(?:\.|$)|state\.change\.logger$")


def _reason(
    record: bytes, text: str, *, local: datetime | None, logger: str | None, has_start: bool
) -> str | None:
    """Why the message is not even looked at."""
    if not has_start and not text.strip():
        return "blank"
    if len(record) > LONGEST_BYTES:
        return "too_long"
    if local is None:
        return "no_envelope"
    if logger is None:
        return "cut"
    if logger not in by_logger() and not CONTROLLERS.match(logger):
        return "other_logger"
    return "bad_bytes" if text.encode() != record else None


def time_of(text: str) -> datetime | None:
    """None where there is no such day or hour, or no log of that year."""
    try:
        found = datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        return None
    return found if 1970 <= found.year < 2200 else None


def parted(body: str, end: re.Pattern[str] = LOGGER) -> tuple[str, str, str] | None:
    """Message, logger and the lines after them: the first line that ends in a logger ends the message. end: LISTED: in a list."""
    at = 0
    while True:
        stop = body.find("\n", at)
        line = body[at:] if stop < 0 else body[at:stop].removesuffix("\r")
        if found := end.fullmatch(line):
            return body[: at + found.end(1)], found[2], body[stop + 1 :] if stop >= 0 else ""
        if stop < 0:
            return None
        at = stop + 1


def exception_of(rest: str) -> dict[str, str | None]:
    for line in rest.split("\n"):
        found = EXCEPTION.fullmatch(line)
        if found:
            return {"exception_class": found[1], "exception_message": found[2] or None}
    return {}


def forged(message: str, rest: str) -> bool:
    return bool(INNER_START.search(message)) or any(map(KAFKAS_LOGGER.fullmatch, rest.split("\n")))


def log_of(logger: str | None, file_log: str) -> str:
    if logger is None:
        return "server" if file_log == "mixed" else file_log
    if logger == "state.change.logger":
        return "state-change"
    return "controller" if re.match(r"(kafka|org\.apache\.kafka)\.controller(\.|$)", logger) else "server"


@cache
def by_logger() -> dict[str, list[Wording]]:
    """The wordings of each logger, the most literal first."""
    found: dict[str, list[Wording]] = {}
    for one in sorted(wordings(), key=lambda one: (-one.literal, one.number)):
        found.setdefault(one.logger, []).append(one)
    return found


@cache
def understood(logger: str, message: str) -> Said:
    """More literal characters win; of equals of one event the earlier row, of several events none."""
    found: list[tuple[Wording, re.Match[str]]] = []
    for one in by_logger().get(logger, ()):
        if found and one.literal < found[0][0].literal:
            break
        if message.startswith(one.head) and (match := one.pattern.fullmatch(message)):
            found.append((one, match))
    if not found:
        return Said(None, None, "no_template", {}, None)
    if len({one.event for one, _ in found}) > 1:
        return Said(None, None, "several_templates", {}, None)
    wording, match = found[0]
    return said(wording, match.groupdict())


def said(wording: Wording, texts: dict[str, str]) -> Said:
    """The texts as typed columns and a map; a number that no column can hold is no message of Kafka's."""
    columns: Row = {fields()[name]["column"]: value for name, value in wording.says}
    for name, text in texts.items():
        column = fields()[name]["column"]
        if column:
            columns[column] = typed(column, text)
            if columns[column] is OverflowError:
                return Said(None, None, "no_template", {}, None)
    for part in parts():
        is_asked = part.field in texts and part.column not in columns
        if is_asked and (found := part.pattern.search(texts[part.field])):
            value = re.sub(part.drop, "", found["value"]) if part.drop else found["value"]
            fitting = typed(part.column, value)
            columns[part.column] = None if fitting is OverflowError else fitting
    others = [
        (name, texts[name]) for name in wording.fields if fields()[name]["column"] != name or name in LISTS
    ]
    return Said(wording.event, wording.text, None, columns, others or None)


def typed(column: str, text: str) -> Any:
    """OverflowError in place of a value that its column cannot hold."""
    if column in TEXTS:
        return text or None
    numbers = [int(number) for number in re.findall(r"-?[0-9]+", text)]
    if not all(-(2**31) <= number < 2**31 for number in numbers):
        return OverflowError
    if column in LISTS:
        return numbers
    return numbers[0] if numbers else None
