"""The rows of the template tables as `explain` tells them: wordings, and the releases that print them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pipeline.core.template import Template
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.machines.legal_moves import LAST_ZOOKEEPER
from pipeline.kafka.wording.events import NEWEST, is_before, parse_release, template_events
from pipeline.kafka.wording.loggers import full_names
from pipeline.kafka.wording.releases import may_be_empty, release_bits, wording_shape
from pipeline.kafka.wording.templates import MODES

Row = Mapping[str, Any]

ZOOKEEPER, KRAFT = "ZooKeeper", "KRaft"
FIRST_KRAFT = "2.8"


@dataclass(frozen=True)
class Printed:
    """One range of releases, both included, in which a mode of Kafka prints the wording."""

    mode: str
    since: str
    until: str

    def __str__(self) -> str:
        if self.until == NEWEST:
            return f"{self.since} and later, {self.mode} mode"
        return (
            f"{self.since if self.since == self.until else f'{self.since} to {self.until}'}, {self.mode} mode"
        )


@dataclass(frozen=True)
class Wording:
    """A row of the template tables. `level`: levels at which Kafka prints it, joined by |."""

    event: str
    logger: str
    level: str
    template: str
    printed: tuple[Printed, ...]


@cache
def wordings_by_text() -> dict[tuple[str, str], Wording]:
    """By logger and template; no wording stands twice."""
    return {
        (row["logger"], row["template"]): Wording(
            row["event"], row["logger"], row["level"], row["template"], printed_in_modes(mode, row)
        )
        for mode in MODES
        for row in read_fact_table(f"wording/by_mode/{mode}.tsv")
    }


def find_wording(logger: str, template: str) -> Wording:
    return wordings_by_text()[logger, template]


def wordings_of(row: Row) -> tuple[Wording, ...]:
    """Of a record that is understood: of each logger that may have printed it, where none or a short name is told."""
    logger, text = row["logger"], row["template"]
    if (logger, text) in wordings_by_text():
        return (with_twins(find_wording(logger, text), row),)
    named = [one for one in wordings_by_text().values() if one.template == text]
    short = [one for one in named if logger and full_names(logger, (one.logger,), "tail")]
    return tuple(with_twins(one, row) for one in short or named)


def with_twins(found: Wording, row: Row) -> Wording:
    """With the releases of wordings that print the same: what this one has more is empty in the record, and what they
    have more may be."""
    alike = _alike()[found.logger, wording_shape(found.template)]
    twins = [found, *(one for one in alike if one != found and _is_twin(found, one, row))]
    return replace(found, printed=_joined(span for one in twins for span in one.printed))


def _is_twin(found: Wording, other: Wording, row: Row) -> bool:
    """Whether the other may have printed the record: what it has not is empty. A field of another name is of another
    form."""
    said = dict(row["fields"] or ())
    (clauses, own), (others, names) = (_fields(one.template) for one in (found, other))
    return own == names and not any(said.get(name) for name in clauses - others)


@cache
def _alike() -> dict[tuple[str, str], list[Wording]]:
    """By logger and what they have in common."""
    found: dict[tuple[str, str], list[Wording]] = {}
    for one in wordings_by_text().values():
        found.setdefault((one.logger, wording_shape(one.template)), []).append(one)
    return found


def _fields(template: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Those that may be empty, and the others in their order."""
    names = Template("", "", template).fields
    clauses = frozenset(filter(may_be_empty, names))
    return clauses, tuple(name for name in names if name not in clauses)


def _joined(spans: Iterable[Printed]) -> tuple[Printed, ...]:
    """Ranges of one mode that touch are one."""
    found: list[Printed] = []
    for one in sorted(spans, key=lambda span: (span.mode != ZOOKEEPER, parse_release(span.since))):
        last = found[-1] if found and found[-1].mode == one.mode else None
        if last is not None and _touch(last, one):
            found[-1] = Printed(one.mode, last.since, max(last.until, one.until, key=_until))
        else:
            found.append(one)
    return tuple(found)


def _touch(one: Printed, other: Printed) -> bool:
    both = release_bits(one.since, one.until) | release_bits(other.since, other.until)
    filled = both + (both & -both)
    return not filled & (filled - 1)


def _until(text: str) -> tuple[int, ...]:
    """2.2 is the last 2.2.x."""
    return (*parse_release(text), 9999)


def printed_in_modes(mode: str, row: Row) -> tuple[Printed, ...]:
    """The modes of a row: that of its table, and KRaft where nodes of both print the same."""
    since, until = row["since"], row["until"]
    if mode == "kraft":
        return (Printed(KRAFT, since, until),)
    kraft_since = FIRST_KRAFT if mode == "both" else template_events()[row["event"]].kraft_since
    last = until if is_before(until, LAST_ZOOKEEPER) else LAST_ZOOKEEPER
    found = [Printed(ZOOKEEPER, since, last)] if is_before(since, LAST_ZOOKEEPER) else []
    if kraft_since and is_before(kraft_since, until):
        later = since if is_before(kraft_since, since) else kraft_since
        found.append(Printed(KRAFT, later, until))
    return tuple(found)
