"""Rows of the template tables with values in their places, and what the reader makes of them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from tests.kafka.reading import read_table
from tests.oracle import naive
from tests.oracle.rows import PLACE, Wording, overlap, wordings

HEAD = "[2024-03-01 12:00:00,123] INFO "
SAID = ("event", "template", "fields", *naive.NUMBERS, *naive.LISTS, *naive.TEXTS)
COINCIDENCES = Path(__file__).with_name("coincidences.tsv")


@dataclass(frozen=True)
class Instance:
    wording: Wording
    texts: dict[str, str]

    @property
    def message(self) -> str:
        return PLACE.sub(lambda place: self.texts[place[1]], self.wording.text)


@dataclass(frozen=True)
class Coincidence:
    """Messages of `event` are texts of `other` too, in the same release or only in another.

    `outcome`: what `event`'s rows do: wins (more literal characters), earlier (as many, either row may stand
    first), loses; or itself: the row alone can be read in two ways.
    """

    event: str
    other: str
    releases: str
    outcome: str

    def forms(self) -> tuple["Coincidence", "Coincidence"]:
        """Itself, and with any event in its place."""
        return self, replace(self, event="*")


def is_stated(one: Coincidence) -> bool:
    return any(form in stated() for form in one.forms())


@cache
def stated() -> dict[Coincidence, str]:
    """The coincidences that are known, with the reason."""
    rows = [line.split("\t") for line in COINCIDENCES.read_text("utf-8").splitlines()[1:]]
    return {
        Coincidence(event, other, releases, outcome): why for event, other, releases, outcome, why in rows
    }


def instances(pool: Callable[[str], Sequence[str]], turn: int) -> Iterator[Instance]:
    """One instance of every row; `turn` says which of the values that `pool` has for a field's name."""
    for wording in wordings():
        texts = {}
        for place, name in enumerate(wording.fields):
            values = pool(name)
            texts[name] = values[crc32(f"{turn} {place} {wording.number}".encode()) % len(values)]
        yield Instance(wording, texts)


@dataclass(frozen=True)
class Misread:
    """An instance that the reader took for something else, and what that is."""

    instance: Instance
    expected: dict[str, Any]
    found: dict[str, Any]
    coincidence: Coincidence | None

    def __str__(self) -> str:
        unequal = {n: (self.expected[n], v) for n, v in self.found.items() if self.expected[n] != v}
        return f"{self.instance.message[:300]!r}: (expected, found) {unequal}"


def misread(rendered: Sequence[Instance]) -> list[Misread]:
    """Instances whose event, template, typed columns or map are not exactly those they were made of."""
    lines = "".join(f"{HEAD}{one.message} ({one.wording.logger})\n" for one in rendered)
    rows = read_table(lines.encode(), log="mixed").select(SAID).to_pylist()
    result = []
    for one, found in zip(rendered, rows, strict=True):
        said = naive.said(one.wording, one.texts)
        expected = dict.fromkeys(SAID) | said.columns
        expected |= {"event": said.event, "template": said.template, "fields": said.fields}
        if found != expected:
            result.append(Misread(one, expected, found, _coincidence(one, found)))
    return result


def _coincidence(one: Instance, found: dict[str, Any]) -> Coincidence | None:
    if found["template"] == one.wording.text:
        again = one.wording.pattern.fullmatch(one.message)
        is_ambiguous = again is not None and again.groupdict() != one.texts
        return Coincidence(one.wording.event, one.wording.event, "same", "itself") if is_ambiguous else None
    others = [other for other in wordings() if other.text == found["template"]]
    return next((coincidence(one.wording, other) for other in others if matches(other, one)), None)


def matches(other: Wording, one: Instance) -> bool:
    is_possible = other.logger == one.wording.logger and one.message.startswith(other.head)
    return is_possible and other.pattern.fullmatch(one.message) is not None


def coincidence(wording: Wording, other: Wording) -> Coincidence:
    difference = wording.literal - other.literal
    outcome = "wins" if difference > 0 else "earlier" if difference == 0 else "loses"
    return Coincidence(wording.event, other.event, "same" if overlap(wording, other) else "another", outcome)


def at_names(form: str, values: dict[str, str]) -> str:
    """The form with `@name` replaced, longest names first."""
    return re.sub("@([a-z_]+)", lambda place: values[place[1]], form)
