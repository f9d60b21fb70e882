"""The first lines of exceptions below a record that name a cause, as data: exception_lines.tsv."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow as pa

from pipeline.core.gather import MAP_TYPE
from pipeline.core.match import NO_TEMPLATE, Matcher
from pipeline.core.template import Template
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.templates import field_kinds

# A class with its package, or one that says what it is: ZooKeeper prints EndOfStreamException without.
CLASS = r"(?:[a-zA-Z_][\w$]*\.)+[A-Z][\w$]*|[A-Z]\w*(?:Exception|Error)"
INNER = re.compile(rf"^Caused by: (?P<name>{CLASS})(?:: (?P<message>[^\r\n]*))?\r?$", re.MULTILINE | re.ASCII)
# The same where nothing stands above it: the first one too, and how Java tells of a thread that ends by it.
ANY = re.compile(
    rf"^\s*(?:Caused by: |Exception in thread \"[^\"\n]*\" )?(?P<name>{CLASS})(?:: (?P<message>[^\r\n]*))?\r?$",
    re.MULTILINE | re.ASCII,
)


@dataclass(frozen=True)
class ExceptionLine:
    """A row of exception_lines.tsv. under: events below which it names that cause, blanks between them; empty: any."""

    cause: str
    exception: str
    under: str
    since: str
    until: str
    template: str
    source: str
    meaning: str

    def is_under(self, event: str | None) -> bool:
        return not self.under or event in self.under.split(" ")


@lru_cache(maxsize=1)
def read_exception_lines() -> tuple[ExceptionLine, ...]:
    return tuple(ExceptionLine(**row) for row in read_fact_table("wording/exception_lines.tsv"))


@lru_cache(maxsize=1)
def line_matcher() -> Matcher:
    """All rows compiled; a source is a class. All fields go to the map: none is a column of the record."""
    templates = [Template(one.cause, one.exception, one.template) for one in read_exception_lines()]
    kinds = {name: replace(kind, column="") for name, kind in field_kinds().items()}
    return Matcher(templates, kinds, (), {})


def named_causes(
    events: Sequence[str | None], classes: Sequence[str | None], messages: Sequence[str | None]
) -> tuple[list[ExceptionLine | None], pa.Array]:
    """What each exception names, None: nothing that is known; and the fields of its message, map<string, string>."""
    sources, texts = pa.array(classes, pa.string()), pa.array(messages, pa.string())
    found = line_matcher().match(sources.fill_null(""), texts.fill_null(""))
    rows = read_exception_lines()
    of_each = [rows[number] if number > NO_TEMPLATE else None for number in found.template.tolist()]
    named = [one if one and one.is_under(event) else None for one, event in zip(of_each, events, strict=True)]
    fields = [told if one else None for one, told in zip(named, found.fields.to_pylist(), strict=True)]
    return named, pa.array(fields, MAP_TYPE)


@lru_cache(maxsize=4096)
def exception_cause(event: str | None, name: str | None, message: str | None) -> ExceptionLine | None:
    """Of one exception: its class, and its message up to the line end."""
    return named_causes([event], [name], [message])[0][0] if name in line_matcher().sources else None


def of_trace(text: str) -> tuple[str, str | None] | None:
    """Of a stack trace that stands alone the exception that names a cause, else the first one; None: it is no trace."""
    found = [(one["name"], one["message"] or None) for one in ANY.finditer(text)]
    return next((one for one in found if exception_cause(None, *one)), found[0] if found else None)


def inner_exceptions(trace: str) -> Iterator[tuple[str, str | None]]:
    """Class and message of each exception that is the cause of the one before it, the outermost first."""
    for one in INNER.finditer(trace):
        yield one["name"], one["message"] or None
