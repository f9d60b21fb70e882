"""Compiles a ConversionPattern of log4j 1.2, log4j 2 or logback to what reads the records it prints."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from pipeline.core.errors import SettingsError
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.layout.date_format import DateFormat, date_format

_MODIFIER = re.compile(
    r"%(?P<left>-?)0?(?P<least>\d+)?(?:\.(?P<cut>-?)(?P<most>\d+))?(?P<word>[A-Za-z]+|(?=\())"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
NEEDED = "a ConversionPattern with %d and %m, %d before %m"
# Of layouts that print no logger: the message tells it, as far as it does.
NO_LOGGER = "none"
MESSAGE = "(?P<message>"
TAIL = r"(?:\r?\n(?P<rest>(?s:.*)))?\z"
# What a list or a quotation puts behind a line.
OF_A_LIST = r"(?:\\[nrt]|[ \t,;|\"'`\\]){1,8}"
# What others write behind a line, as a shipper its host: a logger of a server before it tells where the message ends.
APPENDED = r"[ \t,;|][^\r\n]*"
LOGGER, OF_SERVER = r"(?P<logger>[A-Za-z_]", r"(?P<logger>(?:kafka|state\.change|org|com|io)\."
ANY, ONE_LINE = r"(?s:.*?)", r"[^\n]*?"


@dataclass(frozen=True)
class PatternPart:
    """A stretch of a line: a regular expression, or text that stands there as it is."""

    regex: str
    is_literal: bool = False

    @property
    def pattern(self) -> str:
        return re.escape(self.regex) if self.is_literal else self.regex


@dataclass(frozen=True)
class Layout:
    """How one record is printed.

    `start`: what its first line begins with, up to the time and a little beyond; in the syntax that Python's
    re and RE2 share. `until_time`: the same up to the time.
    `head`: RE2 over the whole record, with the groups time, message, logger, rest (the lines
    after the message), and where they are printed level and zone. `time_format`: as core.clock takes it.
    `logger_form`: full, short (parts of the name left out or shortened), tail (cut from the left), none.
    `zone`: the zone that the pattern says the times are in. `ends_in_message`: nothing printed behind the message
    would show that its end is missing. `is_level_first`: the level is printed before the time."""

    start: tuple[PatternPart, ...]
    head: str
    time_format: str
    logger_form: str = "full"
    zone: str | None = None
    ends_in_message: bool = False
    until_time: tuple[PatternPart, ...] = ()
    is_level_first: bool = False

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """What is tried in turn: the head, the same in a list, with more behind it, and what stands before a message
        that has no end."""
        bare, before = self.head.removesuffix(TAIL), self.head[: self.head.index(MESSAGE)]
        listed = () if self.ends_in_message else (bare + OF_A_LIST + TAIL,)
        ended = bare.replace(ANY, ONE_LINE).replace(LOGGER, OF_SERVER)
        appended = (ended + APPENDED + TAIL,) if LOGGER in bare[len(before) :] else ()
        return self.head, *listed, *appended, before


@dataclass(frozen=True)
class _Item:
    """One conversion of a pattern, or a literal: kind, its regular expression with padding."""

    kind: str
    regex: str
    date: DateFormat | None = None
    logger_form: str = "full"


@dataclass
class _Head:
    """What is put together item by item."""

    regex: str = r"\A"
    named: set[str] = field(default_factory=set)

    def add(self, name: str, regex: str, before: str = "", after: str = "") -> None:
        own = f"(?:{regex})" if name in self.named else f"(?P<{name}>{regex})"
        self.named.add(name)
        self.regex += before + own + after


@lru_cache(maxsize=1)
def _converters() -> dict[str, tuple[str, str]]:
    """(kind, regular expression) by every name that a converter has."""
    rows = read_fact_table("layout/converters.tsv")
    return {name: (row["kind"], row["regex"]) for row in rows for name in row["names"].split(" ")}


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Layout:
    """SettingsError: a converter is not known or not supported, or time or message is not printed."""
    items = list(_items(pattern))
    while items and (items[-1].kind in ("line_end", "trace")):
        items.pop()
    kinds = [item.kind for item in items]
    missing = [sign for sign, kind in (("%d", "time"), ("%m", "message")) if kind not in kinds]
    if missing or kinds.index("time") > kinds.index("message"):
        found = f"no {', '.join(missing)} in {pattern}" if missing else f"%d behind %m in {pattern}"
        raise SettingsError(expected=NEEDED, found=found, todo="write the pattern as log4j has it")
    ends_in_message = kinds[-1] == "message"
    head = _Head()
    for item in items:
        _add(head, item, ends_in_message=ends_in_message)
    date = next(item.date for item in items if item.date is not None)
    logger_form = next((item.logger_form for item in items if item.kind == "logger"), NO_LOGGER)
    start = tuple(_start(items))
    return Layout(
        start=start,
        head=head.regex + TAIL,
        time_format=date.time_format,
        logger_form=logger_form,
        zone=date.zone,
        ends_in_message=ends_in_message,
        until_time=(*start[: kinds.index("time")], PatternPart(date.time)),
        is_level_first="level" in kinds[: kinds.index("time")],
    )


def _add(head: _Head, item: _Item, *, ends_in_message: bool) -> None:
    if item.date is not None:
        head.add("time", item.date.time, after=item.date.between)
        if item.date.zone_name:
            head.add("zone", item.date.zone_name)
    elif item.kind == "message":
        head.add("message", ONE_LINE if ends_in_message else ANY)
    elif item.kind in ("level", "logger"):
        name, (before, regex, after) = item.kind, item.regex.split("\0")
        head.add(name, regex, before, after)
    elif item.kind == "literal":
        head.regex += re.escape(item.regex)
    else:
        head.regex += item.regex.replace("\0", "")


def _start(items: list[_Item]) -> Iterator[PatternPart]:
    """Up to the time, the text behind it, and the level if it comes next and no bracket closes the time."""
    at, date = next((place, item.date) for place, item in enumerate(items) if item.date is not None)
    for item in items[:at]:
        if item.kind == "literal":
            yield PatternPart(item.regex, is_literal=True)
        else:
            yield PatternPart(item.regex.replace("\0", "").replace("*?", "{0,100}?"))
    yield PatternPart(date.time + date.between + date.zone_name)
    rest = items[at + 1 :]
    if rest and rest[0].kind == "literal":
        yield PatternPart(rest[0].regex, is_literal=True)
        if not rest[0].regex.isspace():
            return
        rest = rest[1:]
    if rest and rest[0].kind == "level":
        before, level, after = rest[0].regex.split("\0")
        yield from (PatternPart(before), PatternPart(level + after + r"[^\w]"))


def _items(pattern: str) -> Iterator[_Item]:
    at, literal = 0, ""
    while at < len(pattern):
        if pattern[at] == "\\" and pattern[at + 1 : at + 2] in _ESCAPES:
            literal, at = literal + _ESCAPES[pattern[at + 1]], at + 2
        elif pattern.startswith("%%", at):
            literal, at = literal + "%", at + 2
        elif pattern[at] == "%":
            if literal:
                yield _Item("literal", literal)
            literal = ""
            items, at = _conversion(pattern, at)
            yield from items
        elif pattern.startswith("${", at):
            raise _refused(pattern, "${...}", "write what the lookup gives")
        else:
            literal, at = literal + pattern[at], at + 1
    if literal:
        yield _Item("literal", literal)


def _conversion(pattern: str, at: int) -> tuple[list[_Item], int]:
    """What the conversion at that place prints, and where it ends."""
    found = _MODIFIER.match(pattern, at)
    if found is None:
        raise _refused(pattern, pattern[at : at + 8], "write %% for a percent sign")
    letters = found["word"]
    names = (letters[:end] for end in range(len(letters), 0, -1))
    word = next((name for name in names if name in _converters()), "")
    if letters and not word:
        raise _refused(pattern, f"%{letters}", "write it as log4j 1.2, log4j 2 or logback name it")
    kind, regex = _converters()[word] if word else ("group", "")
    end = found.start("word") + len(word)
    group, end = _bracketed(pattern, end, "(", ")") if kind == "group" else (None, end)
    options: list[str] = []
    while pattern.startswith("{", end):
        option, end = _bracketed(pattern, end, "{", "}")
        options.append(option or "")
    if kind in ("group", "optional"):
        inner = list(_items(group if group is not None else options[0] if options else ""))
        return (inner if kind == "group" else [_optional(pattern, inner)]), end
    return [_item(pattern, kind, regex, options, found)], end


def _item(pattern: str, kind: str, regex: str, options: list[str], modifier: re.Match[str]) -> _Item:
    if kind == "refused" or (kind in ("message", "time") and modifier["most"]):
        raise _refused(pattern, modifier[0], "leave it out: it changes or cuts what is printed")
    if kind == "time":
        return _Item(kind, "", date_format(options))
    if kind in ("line_end", "trace"):
        return _Item(kind, r"\r?\n" if kind == "line_end" else "")
    # \0 stands around the value itself, without what pads it.
    before = " *" if modifier["least"] and not modifier["left"] else ""
    after = " *" if modifier["least"] and modifier["left"] else ""
    form = "full"
    if kind == "level" and options:
        regex = "[A-Za-z]+"
    if kind == "logger":
        form = "tail" if modifier["most"] else "short" if options else "full"
        regex = r"[\w.$~-]+" if modifier["most"] or options else regex
    return _Item(kind, f"{before}\0{regex}\0{after}", logger_form=form)


def _optional(pattern: str, items: list[_Item]) -> _Item:
    if any(item.kind not in ("field", "literal") for item in items):
        raise _refused(pattern, "a time, level, logger or message that may be left out", "print it always")
    inner = "".join(
        re.escape(item.regex) if item.kind == "literal" else item.regex.replace("\0", "") for item in items
    )
    return _Item("field", f"(?:{inner})?")


def _bracketed(pattern: str, at: int, opening: str, closing: str) -> tuple[str | None, int]:
    """The text between brackets that open at that place, and where they end; None if none opens there."""
    if pattern[at : at + 1] != opening:
        return None, at
    depth = 0
    for place in range(at, len(pattern)):
        depth += (pattern[place] == opening) - (pattern[place] == closing)
        if not depth:
            return pattern[at + 1 : place], place + 1
    raise _refused(pattern, f"{opening} without {closing}", "close it")


def _refused(pattern: str, found: str, todo: str) -> SettingsError:
    return SettingsError(
        expected="a ConversionPattern of converters that can be read back",
        found=f"{found} in {pattern}",
        todo=todo,
    )
