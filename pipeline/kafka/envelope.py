"""What stands around a message: wrappers around each line, and the layout of a record, by name."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pipeline.core.errors import SettingsError
from pipeline.core.starts import start_pattern
from pipeline.kafka.conversion_pattern import Layout, compiled
from pipeline.kafka.json_layout import START, JsonLayout
from pipeline.kafka.wording import table
from pipeline.kafka.wrapper import Wrapper, wrappers

HEAD_GROUPS = ("time", "level", "message", "logger", "rest")
PATTERN = "pattern:"
STOCK = "stock"


@dataclass(frozen=True)
class Envelope:
    """`name`: `<layout>` or `<wrapper>/.../<layout>`, the outermost wrapper first; a layout is a name of
    envelopes.tsv or json_layouts.tsv, or `pattern:` and a ConversionPattern.
    """

    name: str
    layout: Layout | JsonLayout
    wrappers: tuple[Wrapper, ...] = ()

    @cached_property
    def start(self) -> str:
        """What a record's first line begins with, in the syntax that Python's re and RE2 share."""
        parts = self.layout.start if isinstance(self.layout, Layout) else START
        for wrapper in reversed(self.wrappers):
            parts = wrapper.around(parts)
        return "".join(re.escape(part.regex) if part.is_literal else part.regex for part in parts)

    @cached_property
    def start_pattern(self) -> re.Pattern[bytes]:
        return start_pattern(self.start)

    @cached_property
    def bare(self) -> "Envelope":
        """The same without wrappers."""
        name = self.name[sum(len(wrapper.name) + 1 for wrapper in self.wrappers) :]
        return Envelope(name, self.layout) if self.wrappers else self

    @cached_property
    def forged(self) -> str:
        """RE2: a start inside a message, after a line end or a carriage return."""
        return r"[\r\n][ \t]*(?:" + self.bare.start + ")"


@lru_cache(maxsize=1)
def layouts() -> dict[str, Layout | JsonLayout]:
    """The built-in layouts by name, in the order in which they are tried."""
    texts = {row["name"]: compiled(row["pattern"]) for row in table("envelopes.tsv")}
    return {**texts, **{row["name"]: JsonLayout(**row) for row in table("json_layouts.tsv")}}


@lru_cache(maxsize=1024)
def envelope(name: str) -> Envelope:
    """An envelope by its name. SettingsError: no such wrapper or layout, or a pattern that cannot be read."""
    around: list[Wrapper] = []
    rest = name
    while (first := rest.partition("/"))[1] and first[0] in wrappers():
        around.append(wrappers()[first[0]])
        rest = first[2]
    if rest.startswith(PATTERN):
        return Envelope(name, compiled(rest.removeprefix(PATTERN)), tuple(around))
    if "%" in rest:
        return Envelope(name.removesuffix(rest) + PATTERN + rest, compiled(rest), tuple(around))
    if rest not in layouts():
        raise SettingsError(
            expected=f"a ConversionPattern or one of {', '.join(layouts())},"
            f" with any of {', '.join(wrappers())} and / before it",
            found=name,
            todo="write one of them",
        )
    return Envelope(name, layouts()[rest], tuple(around))


class _Named(dict[str, Envelope]):
    """Envelopes by name: what is asked for is made."""

    def __missing__(self, name: str) -> Envelope:
        return envelope(name)


@lru_cache(maxsize=1)
def envelopes() -> dict[str, Envelope]:
    """The built-in layouts as envelopes, in the order in which they are tried; others are made when asked for."""
    return _Named({name: envelope(name) for name in layouts()})
