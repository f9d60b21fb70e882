"""What stands around a message: wrappers around each line, and the layout of a record, by name."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pipeline.core.beginnings import beginning_of
from pipeline.core.errors import SettingsError
from pipeline.core.starts import Other, start_pattern
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.layout.conversion_pattern import Layout, PatternPart, compile_pattern
from pipeline.kafka.layout.json_layout import JsonLayout
from pipeline.kafka.layout.prefix import PREFIX, cut_off
from pipeline.kafka.layout.wrapper import Wrapper, wrappers_by_name

HEAD_GROUPS = ("time", "level", "message", "logger", "rest")
PATTERN = "pattern:"
STOCK = "stock"
# A record begins with a time, in brackets or not, or is an object.
BEGIN_SURELY = b"0123456789[{"
LEVEL = "[A-Z]+"
# Behind a time; a name of a thread may stand between.
SOME_LEVEL = PatternPart(r"[^\n]{0,100}?[^\w\n]"), PatternPart(r"(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)[^\w]")


@dataclass(frozen=True)
class Envelope:
    """`name`: `<layout>` or `<wrapper>/.../<layout>`, the outermost wrapper first; a layout is a name of
    envelopes.tsv or json_layouts.tsv, or `pattern:` and a ConversionPattern; a wrapper is a name of wrappers.tsv,
    or `prefix:` and a regular expression.
    """

    name: str
    layout: Layout | JsonLayout
    wrappers: tuple[Wrapper, ...] = ()

    @cached_property
    def start(self) -> str:
        """What a record's first line begins with, in the syntax that Python's re and RE2 share."""
        whole = _regex(self.layout.start, self.wrappers)
        torn = self._torn_start
        return whole if torn is None else f"(?:{whole}|{torn})"

    @cached_property
    def _torn_start(self) -> str | None:
        """A line that is torn inside of a start. Not told inside of objects and of other wrappers, nor of layouts that
        begin with anything but fixed text and a level."""
        if not self.wrappers or not self.wrappers[-1].goes_on or any(one.is_json for one in self.wrappers):
            return None
        layout, innermost = self.layout, self.wrappers[-1]
        if isinstance(layout, Layout) and not all(
            part.is_literal or part.regex.rstrip(" *") == LEVEL for part in layout.until_time[:-1]
        ):
            return None
        inside = beginning_of("".join(part.pattern for part in layout.start))
        return _regex(
            (PatternPart(innermost.goes_on), PatternPart(f"(?:{inside})"), PatternPart(r"\n")),
            self.wrappers[:-1],
        )

    @cached_property
    def start_pattern(self) -> re.Pattern[bytes]:
        return start_pattern(self.start)

    @cached_property
    def others(self) -> tuple["Envelope", ...]:
        """The built-in layouts inside the same wrappers: what the records of the file may be in before or after its
        layout was changed. None where lines are torn anywhere: what goes on in the next one would look like a start."""
        if any(wrapper.goes_on for wrapper in self.wrappers):
            return ()
        is_json = any(wrapper.is_json for wrapper in self.wrappers)
        return tuple(
            one
            for one in self.siblings
            if one.layout != self.layout and (isinstance(one.layout, Layout) or not is_json)
        )

    @cached_property
    def siblings(self) -> tuple["Envelope", ...]:
        """All built-in layouts inside the same wrappers."""
        around = self.name.removesuffix(self.bare.name)
        return tuple(envelope_by_name(around + name) for name in built_in_layouts())

    @cached_property
    def surely(self) -> str:
        """A start that tells a record from the lines after a message: time and level, or an object with a time."""
        return _regex(_surely(self.layout), self.wrappers)

    @cached_property
    def _behind_other_words(self) -> tuple[str, ...]:
        """Where words of another program stand before each line: a record behind other words. It is not read, nor is it
        taken for lines of the record before."""
        place = next((at for at, one in enumerate(self.wrappers) if one.name.startswith(PREFIX)), None)
        if place is None or isinstance(self.layout, JsonLayout):
            return ()
        return (_regex((PatternPart(r"[^\n]*?"), *_surely(self.layout)), self.wrappers[:place]),)

    def around(self, pattern: str) -> str:
        """What a line begins with that begins with this inside the wrappers."""
        return _regex((PatternPart(pattern),), self.wrappers)

    @cached_property
    def other_start(self) -> Other | None:
        """What a record begins with that is in another layout than the file, or behind other words."""
        if not self.others:
            return None
        patterns = dict.fromkeys([*(one.surely for one in self.others), *self._behind_other_words])
        return Other("|".join(patterns), b"" if self.wrappers else BEGIN_SURELY)

    @cached_property
    def any_start_pattern(self) -> re.Pattern[bytes]:
        other = self.other_start
        return start_pattern(self.start if other is None else f"(?:{self.start})|{other.pattern}")

    @cached_property
    def bare(self) -> "Envelope":
        """The same without wrappers."""
        name = self.name[sum(len(wrapper.name) + 1 for wrapper in self.wrappers) :]
        return Envelope(name, self.layout) if self.wrappers else self

    @cached_property
    def forged(self) -> str:
        """RE2: a start inside a message, after a line end or a carriage return."""
        return r"[\r\n][ \t]*(?:" + self.bare.start + ")"


def _surely(layout: Layout | JsonLayout) -> tuple[PatternPart, ...]:
    if isinstance(layout, JsonLayout):
        return layout.surely
    return layout.until_time if layout.is_level_first else (*layout.until_time, *SOME_LEVEL)


def _regex(parts: tuple[PatternPart, ...], around: tuple[Wrapper, ...]) -> str:
    for wrapper in reversed(around):
        parts = wrapper.around(parts)
    return "".join(part.pattern for part in parts)


@lru_cache(maxsize=1)
def built_in_layouts() -> dict[str, Layout | JsonLayout]:
    """The built-in layouts by name, in the order in which they are tried."""
    texts = {row["name"]: compile_pattern(row["pattern"]) for row in read_fact_table("layout/envelopes.tsv")}
    return {**texts, **{row["name"]: JsonLayout(**row) for row in read_fact_table("layout/json_layouts.tsv")}}


def _named(name: str) -> tuple[Wrapper, str] | None:
    """The built-in wrapper that a name begins with, and the rest of the name."""
    first, slash, rest = name.partition("/")
    return (wrappers_by_name()[first], rest) if slash and first in wrappers_by_name() else None


@lru_cache(maxsize=1024)
def envelope_by_name(name: str) -> Envelope:
    """An envelope by its name. SettingsError: no such wrapper or layout, or a pattern that cannot be read."""
    around: list[Wrapper] = []
    rest = name
    while (found := cut_off(rest) or _named(rest)) is not None:
        around.append(found[0])
        rest = found[1]
    if rest.startswith(PATTERN):
        return Envelope(name, compile_pattern(rest.removeprefix(PATTERN)), tuple(around))
    if "%" in rest:
        return Envelope(name.removesuffix(rest) + PATTERN + rest, compile_pattern(rest), tuple(around))
    if rest not in built_in_layouts():
        raise SettingsError(
            expected=f"a ConversionPattern or one of {', '.join(built_in_layouts())},"
            f" with any of {', '.join(wrappers_by_name())}, prefix:REGEX and / before it",
            found=name,
            todo="write one of them",
        )
    return Envelope(name, built_in_layouts()[rest], tuple(around))


class _Named(dict[str, Envelope]):
    """Envelopes by name: what is asked for is made."""

    def __missing__(self, name: str) -> Envelope:
        return envelope_by_name(name)


@lru_cache(maxsize=1)
def built_in_envelopes() -> dict[str, Envelope]:
    """The built-in layouts as envelopes, in the order in which they are tried; others are made when asked for."""
    return _Named({name: envelope_by_name(name) for name in built_in_layouts()})
