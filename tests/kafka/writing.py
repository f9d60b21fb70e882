"""Writes records as loggers, container runtimes and shippers do: the naive counterpart of what is read."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

TIME = "2024-03-01T12:00:00.123456789Z"
CHUNK = 16 << 10
EPOCH = datetime.fromisoformat("1970-01-01")


def chunks(line: str, size: int) -> list[str]:
    """Parts of at most `size` bytes; characters of several bytes are not torn."""
    if line.isascii():
        return [line[at : at + size] for at in range(0, len(line), size)] or [""]
    parts, current = [], ""
    for letter in line:
        if len((current + letter).encode()) > size:
            parts.append(current)
            current = ""
        current += letter
    return [*parts, current]


def cri(line: str, size: int = CHUNK) -> Iterable[str]:
    *first, last = chunks(line, size)
    return [*(f"{TIME} stdout P {part}" for part in first), f"{TIME} stdout F {last}"]


def json_file(line: str, size: int = CHUNK) -> Iterable[str]:
    *first, last = chunks(line, size)
    logs = [*first, f"{last}\n"]
    return [_go_json({"log": log, "stream": "stdout", "time": TIME}) for log in logs]


def _go_json(value: dict[str, str]) -> str:
    """As Go writes it: compact, and <, > and & escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def colour(line: str) -> Iterable[str]:
    for level in ("TRACE", "INFO", "ERROR"):
        line = line.replace(f" {level} ", f" \x1b[32m{level}\x1b[0;39m ", 1)
    return [line]


WRAPPERS: dict[str, Callable[[str], Iterable[str]]] = {
    "ansi": colour,
    "cri": cri,
    "json_file": json_file,
    "json_log": lambda line: [json.dumps({"date": 1709294400.0, "stream": "stdout", "log": line})],
    "json_message": lambda line: [
        json.dumps({"@timestamp": TIME, "host": {"name": "a, b"}, "message": line})
    ],
    "journal": lambda line: [
        json.dumps({"__CURSOR": "s=1;i=2", "_HOSTNAME": "kafka-1", "PRIORITY": "6", "MESSAGE": line})
    ],
    "compose": lambda line: [f"kafka-1  | {line}"],
    "kubectl": lambda line: [f"[pod/my-cluster-kafka-0/kafka] {line}"],
    "timestamps": lambda line: [f"{TIME} {line}"],
    "stern": lambda line: [f"my-cluster-kafka-0 kafka {line}"],
    "syslog": lambda line: ["Mar  3 11:05:40 host kafka[4821]: " + line.replace("\t", "#011")],
    "syslog_iso": lambda line: [f"2024-03-01T12:00:00.123456+01:00 host kafka[4821]: {line}"],
    "syslog_5424": lambda line: [f'<165>1 {TIME} host kafka 4821 - [o@1 k="v"] {line}'],
}


def wrapped(data: bytes, names: Iterable[str]) -> bytes:
    """A log of whole lines with these wrappers around each of them, the outermost first."""
    lines = data.decode().removesuffix("\n").split("\n")
    for name in reversed(list(names)):
        lines = [outer for line in lines for outer in WRAPPERS[name](line)]
    return "".join(f"{line}\n" for line in lines).encode()


class Record:
    """One record of a log, for a layout to print."""

    def __init__(
        self, time: datetime, level: str, logger: str, message: str, rest: str, thread: str = "main"
    ) -> None:
        self.time, self.level, self.logger = time, level, logger
        self.message, self.rest, self.thread = message, rest, thread


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
NAMED = {
    None: "yyyy-MM-dd HH:mm:ss,SSS",
    "ISO8601": "yyyy-MM-dd HH:mm:ss,SSS",
    "DATE": "dd MMM yyyy HH:mm:ss,SSS",
    "ISO8601_BASIC": "yyyyMMdd'T'HHmmss,SSS",
    "COMPACT": "yyyyMMddHHmmssSSS",
}


def printed_time(time: datetime, form: str | None, offset: timedelta) -> str:
    """As SimpleDateFormat prints a local time of that offset to UTC, letter by letter."""
    form = NAMED.get(form, form) or ""
    if form in ("UNIX", "UNIX_MILLIS"):
        seconds = int((time - offset - EPOCH).total_seconds())
        return str(seconds) if form == "UNIX" else f"{seconds}{time.microsecond // 1000:03}"
    minutes = int(offset.total_seconds()) // 60
    sign, hours, rest = "+-"[minutes < 0], abs(minutes) // 60, abs(minutes) % 60
    parts = {
        "yyyy": f"{time.year:04}", "MMM": MONTHS[time.month - 1], "MM": f"{time.month:02}", "dd": f"{time.day:02}",
        "HH": f"{time.hour:02}", "mm": f"{time.minute:02}", "ss": f"{time.second:02}",
        "SSSSSS": f"{time.microsecond:06}", "SSS": f"{time.microsecond // 1000:03}",
        "XXX": f"{sign}{hours:02}:{rest:02}" if minutes else "Z",
        "Z": f"{sign}{hours:02}{rest:02}",
        "z": f"GMT{sign}{hours:02}:{rest:02}" if minutes else "UTC",
        "'T'": "T",
    }  # fmt: skip
    text = ""
    while form:
        known = next((part for part in parts if form.startswith(part)), None)
        text += form[0] if known is None else parts[known]
        form = form[1 if known is None else len(known) :]
    return text


def _ms(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03}"


def _short(logger: str) -> str:
    return logger.rsplit(".", 1)[-1]


def _initials(logger: str) -> str:
    *outer, last = logger.split(".")
    return ".".join([*(part[0] for part in outer), last])


def _iso(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}"


def _error(record: Record, kind: str, why: str, trace: str | None = None) -> dict[str, str]:
    """The exception of the lines after a message, as keys of an object."""
    if not record.rest:
        return {}
    first = record.rest.split("\n", 1)[0]
    name, _, words = first.partition(": ")
    return {kind: name, why: words} | ({trace: record.rest} if trace else {})


def _nested(record: Record, **keys: object) -> dict[str, object]:
    return {key: value for key, value in keys.items() if value}


OBJECTS: dict[str, Callable[[Record], dict[str, object]]] = {
    "ecs": lambda r: {
        "@timestamp": _iso(r.time) + "Z", "log.level": r.level, "message": r.message, "ecs.version": "1.2.0",
        "process.thread.name": r.thread, "log.logger": r.logger,
        **_error(r, "error.type", "error.message", "error.stack_trace"),
    },
    "ecs_nested": lambda r: {
        "@timestamp": _iso(r.time) + "Z", "log": {"level": r.level, "logger": r.logger}, "message": r.message,
        **_nested(r, error=_error(r, "type", "message", "stack_trace")),
    },
    "logstash": lambda r: {
        **_nested(r, exception=_error(r, "exception_class", "exception_message", "stacktrace")),
        "@version": 1, "source_host": "h", "message": r.message, "thread_name": r.thread,
        "@timestamp": _iso(r.time) + "+0000", "level": r.level, "logger_name": r.logger,
    },
    "json_instant": lambda r: {
        "instant": {
            "epochSecond": int((r.time - EPOCH) / timedelta(seconds=1)),
            "nanoOfSecond": r.time.microsecond * 1000,
        },
        "thread": r.thread, "level": r.level, "loggerName": r.logger, "message": r.message,
        **_nested(r, thrown=_error(r, "name", "message")), "endOfBatch": False, "threadId": 1,
    },
    "json_millis": lambda r: {
        "timeMillis": (r.time - EPOCH) // timedelta(milliseconds=1),
        "thread": r.thread, "level": r.level, "loggerName": r.logger, "message": r.message,
        **_nested(r, thrown=_error(r, "name", "message")),
    },
    "gcp": lambda r: {
        "timestamp": _iso(r.time) + "Z", "severity": r.level, "message": r.message,
        **_nested(r, _exception=_error(r, "class", "message", "stackTrace")), "_thread": "main", "_logger": r.logger,
    },
    "json_plain": lambda r: {
        "timestamp": _iso(r.time) + "Z", "level": r.level, "logger": r.logger, "message": r.message,
        **_nested(r, stack_trace=r.rest),
    },
}  # fmt: skip

LINES: dict[str, Callable[[Record], str]] = {
    "stock": lambda r: f"[{_ms(r.time)}] {r.level} {r.message} ({r.logger})",
    "stock_line": lambda r: f"[{_ms(r.time)}] {r.level} {r.message} ({r.logger}:66)",
    "stock_iso": lambda r: f"[{_ms(r.time).replace(' ', 'T')}] {r.level} {r.message} ({r.logger})",
    "stock_iso_offset": lambda r: (
        f"[{_iso(r.time + timedelta(hours=5, minutes=30))}+05:30] {r.level} {r.message} ({r.logger})"
    ),
    "stock_iso_comma_offset": lambda r: (
        f"[{_iso(r.time).replace('.', ',')}Z] {r.level} {r.message} ({r.logger})"
    ),
    "stock_zone": lambda r: f"[{_ms(r.time)} UTC] {r.level} {r.message} ({r.logger})",
    "strimzi": lambda r: f"{_ms(r.time)} {r.level} {r.message} ({r.logger}) [{r.thread}]",
    "strimzi_log4j2": lambda r: (
        f"{r.time:%Y-%m-%d %H:%M:%S} {r.level:5} [{r.thread}] {_short(r.logger)}:450 - {r.message}"
    ),
    "strimzi_log4j2_offset": lambda r: (
        f"{_ms(r.time - timedelta(hours=3))}-0300 {r.level} [{r.thread}] {_short(r.logger)}:450 - {r.message}"
    ),
    "strimzi_log4j2_millis": lambda r: (
        f"{_ms(r.time)} {r.level:5} [{r.thread}] {_short(r.logger)}:450 - {r.message}"
    ),
    "strimzi_log4j2_zone": lambda r: (
        f"{r.time:%Y-%m-%d %H:%M:%S} GMT {r.level} [{r.thread}] {_short(r.logger)}:450 - {r.message}"
    ),
    "filebeat": lambda r: f"[{_ms(r.time)}] [{r.level:5}] [{r.thread}] [{r.logger}] - {r.message}",
    "log4j_example": lambda r: (
        f"{_ms(r.time)} {r.level:5} [{r.thread}] {'.'.join(r.logger.split('.')[-2:])} - {r.message}"
    ),
    "log4j_example_brackets": lambda r: f"{_ms(r.time)} [{r.thread}] {r.level:5} {r.logger} - {r.message}",
    "log4j_colon": lambda r: f"{_ms(r.time).replace(' ', 'T')} {r.level:5} {r.logger}: {r.message}",
    "log4j_class_line": lambda r: f"{_ms(r.time)} {r.level:5} {_short(r.logger)}:68 - {r.message}",
    "log4j_class_line_seconds": lambda r: (
        f"{r.time:%Y-%m-%d %H:%M:%S} {r.level:5} {_short(r.logger)}:68 - {r.message}"
    ),
    "logback": lambda r: (
        f"{_iso(r.time).replace('T', ' ')} [{r.thread}] {r.level:5} {_initials(r.logger)} - {r.message}"
    ),
    "logback_seconds": lambda r: (
        f"{r.time:%Y-%m-%d %H:%M:%S} [{r.thread}] {r.level:5} {r.logger} - {r.message}"
    ),
    "confluent_kubernetes": lambda r: (
        f"[{r.level}] {_ms(r.time)} [{r.thread}] {r.logger} apply - app=kafka, clusterId=a - b, server=1 - {r.message}"
    ),
    "confluent_operator": lambda r: (
        f"[{r.level}] {_ms(r.time)} [{r.thread}] {r.logger} lambda$info$1 - {r.message}"
    ),
    "linkedin": lambda r: (
        f"{_iso(r.time).replace('T', ' ').replace('-', '/')} {r.level} [{_short(r.logger)}] [{r.thread}]"
        f" [kafka-server] [] {r.message}"
    ),
    "debezium": lambda r: f"{_ms(r.time)} - {r.level:5} [{r.thread}:Logging@66] - {r.message}",
    "quarkus": lambda r: f"{_ms(r.time)} - {r.level:5} [{r.thread}:{_short(r.logger)}@670] - {r.message}",
    "spring_boot": lambda r: (
        f"{_iso(r.time)}Z {r.level:>5} 2433 --- [{r.thread[-15:]:>15}] {_initials(r.logger):40} : {r.message}"
    ),
    "spring_boot_2": lambda r: (
        f"{_iso(r.time).replace('T', ' ')} {r.level:>5} 24 --- [{r.thread:>15}] {r.logger[-40:]:40} : {r.message}"
    ),
}


def written(records: Iterable[Record], layout: str) -> bytes:
    """A log of these records in a built-in layout, by its name; their times are those of UTC."""
    if layout in OBJECTS:
        return b"".join(json.dumps(OBJECTS[layout](one)).encode() + b"\n" for one in records)
    texts = (LINES[layout](one) + (f"\n{one.rest}" if one.rest else "") for one in records)
    return "".join(f"{text}\n" for text in texts).encode()
