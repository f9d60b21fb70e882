"""What each event means to the person who reads its line, and which methods of Kafka print it."""

import re
from dataclasses import dataclass
from functools import cache, cached_property

from pipeline.core.errors import SettingsError
from pipeline.kafka.facts import read_fact_table

SOURCE = re.compile(
    r"(?P<method>[a-z][\w.]*\.[A-Z][\w$]*(?:\.\w+)?)"
    r"(?: \((?:to (?P<last>[\d.]+)|from (?P<first>[\d.]+)|(?P<since>[\d.]+)(?: to (?P<until>[\d.]+))?)\))?"
)
NEWEST = "current"

Release = tuple[int, ...]


@dataclass(frozen=True)
class PrintingMethod:
    """A method of Kafka that prints an event. `since`, `until`: releases, both included; "" = not bounded."""

    method: str
    since: str
    until: str

    def is_within(self, since: str, until: str) -> bool:
        """Whether a release of that range prints from here."""
        return is_before(self.since or since, until) and is_before(since, self.until or until)

    def __str__(self) -> str:
        if not self.since:
            return f"{self.method} (to {self.until})" if self.until else self.method
        if not self.until:
            return f"{self.method} (from {self.since})"
        span = self.since if self.since == self.until else f"{self.since} to {self.until}"
        return f"{self.method} ({span})"


@dataclass(frozen=True)
class Event:
    """A row of events.tsv. `kraft_since`: release from which KRaft nodes print the event's ZooKeeper wordings
    as well, "" = they do not. `source`: methods with their releases, read in Kafka's source.
    """

    event: str
    kraft_since: str
    source: str
    meaning: str

    @cached_property
    def places(self) -> tuple[PrintingMethod, ...]:
        return tuple(parse_printing_method(text) for text in self.source.split("; "))


@cache
def template_events() -> dict[str, Event]:
    """The events of all templates by name."""
    return {row["event"]: Event(**row) for row in read_fact_table("wording/events.tsv")}


def parse_printing_method(text: str) -> PrintingMethod:
    """`kafka.controller.KafkaController.elect (from 0.11)`, or `(to 2.2)`, `(1.0 to 2.2)`, `(2.2)`, or bare."""
    found = SOURCE.fullmatch(text)
    if found is None:
        raise SettingsError(
            expected="a method of Kafka with its releases",
            found=f"'{text}'",
            todo="mend the row of events.tsv",
        )
    only = found["since"] or ""
    return PrintingMethod(found["method"], found["first"] or only, found["last"] or found["until"] or only)


def parse_release(text: str) -> Release:
    """2.2 as (2, 2); `current` and the x of 3.9.x are newer than all numbers."""
    parts = text.replace(NEWEST, "x").split(".")
    return tuple(9999 if part == "x" else int(part) for part in parts)


def is_before(since: str, until: str) -> bool:
    """Whether a range from `since` to `until` holds a release; until 2.2 means every 2.2.x."""
    last = parse_release(until)
    return parse_release(since)[: len(last)] <= last
