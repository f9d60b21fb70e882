"""The releases of Kafka in order, and which of them print a wording or a sign: sets of releases as bits."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_

from pipeline.core.template import Template
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.templates import MODES, field_kinds, template_rows

NEWEST = "current"
VERSION = "kafka_version"  # the line that says it, and its field
# A column that a sign may look at as it does at fields.
LEVEL = "level"
HALF_BITS = 62
HALF = (1 << HALF_BITS) - 1


@dataclass(frozen=True)
class Sign:
    """What only some releases print inside a field (or a column). Of one field the first sign counts.

    `pattern`: pieces that the text holds, "…" between them; the first is its beginning unless "…" stands before it.
    In slashes: a Java regular expression, for rare lines only. `event`: on records of that event only, "" = all.
    `releases`: bits, as of `bits`.
    """

    name: str
    event: str
    field: str
    pattern: str
    releases: int


@cache
def release_names() -> tuple[str, ...]:
    """All releases, the oldest first: the place of a release is its bit. From releases.tsv."""
    return tuple(row["release"] for row in read_fact_table("wording/releases.tsv"))


@cache
def all_release_bits() -> int:
    """The bits of all releases."""
    return (1 << len(release_names())) - 1


@cache
def release_bits(since: str, until: str, mode: str = "") -> int:
    """The releases from `since` to `until`, both included; 2.2 as end is every 2.2.x, 2.2.x too, current has no end.

    A release whose source for that mode was not read may print what its neighbours print: it is put next to them.
    """
    low = _number(since.replace(".x", ""), 4)
    end = until.replace(".x", "")
    held = [
        low <= _number(name, 4) and (until == NEWEST or _number(name, end.count(".") + 1) <= _number(end))
        for name in release_names()
    ]
    if not any(held):
        held[-1] = low > _number(release_names()[-1], 4)
    for place in unread_places(mode):
        held[place] = any(held[max(place - 1, 0) : place + 2])
    return sum(1 << place for place, is_held in enumerate(held) if is_held)


@cache
def unread_places(mode: str) -> tuple[int, ...]:
    """The places of releases whose source was not read for that mode; "": none."""
    rows = read_fact_table("wording/releases.tsv") if mode else []
    return tuple(place for place, row in enumerate(rows) if row[mode] == "unread")


@cache
def _number(release: str, length: int = 0) -> tuple[int, ...]:
    """2.2.1 as (2, 2, 1); cut or filled with zeros to `length` parts, 0: as it is."""
    parts = tuple(int(part) for part in release.split("."))
    return (parts + (0,) * length)[:length] if length else parts


def is_release(text: str) -> bool:
    """Whether some known release is meant: 2.2.2, or 2.2 for all of that line."""
    return any(name == text or name.startswith(f"{text}.") for name in release_names())


def releases_of_bits(releases: int) -> list[str]:
    """The names of the releases whose bits are set, the oldest first."""
    return [name for place, name in enumerate(release_names()) if releases >> place & 1]


def oldest_and_newest(releases: int) -> tuple[str | None, str | None]:
    """Oldest and newest of them; the newest is None where the newest known one is among them: later ones may be."""
    some = releases_of_bits(releases)
    if not some:
        return None, None
    return some[0], None if some[-1] == release_names()[-1] else some[-1]


def split_bits(releases: int) -> tuple[int, int]:
    """The bits in two numbers that fit a BIGINT: the older 62 releases, the later ones."""
    return releases & HALF, releases >> HALF_BITS


def join_bits(older: int, later: int) -> int:
    return older | later << HALF_BITS


@cache
def releases_by_wording() -> Mapping[tuple[str, str], int]:
    """Releases by (logger, template).

    Wordings that differ in names of fields only, or in fields that may be empty, can match one line: they share
    their releases. Source: by_mode.
    """
    rows = [(row, mode) for mode in MODES for row in read_fact_table(f"wording/by_mode/{mode}.tsv")]
    found: dict[tuple[str, str], int] = {}
    for row, mode in rows:
        key = (row["logger"], wording_shape(row["template"]))
        found[key] = found.get(key, 0) | release_bits(
            row["since"], row["until"], "kraft" if mode == "both" else mode
        )
    return {
        (row["logger"], row["template"]): found[row["logger"], wording_shape(row["template"])]
        for row, _ in rows
    }


@cache
def wording_shape(template: str) -> str:
    """What two wordings have in common that one line may be of both."""
    parts = Template("", "", template).parts
    places = ("" if may_be_empty(name) else "\0" for name in parts[1::2])
    return "".join(text for pair in zip(parts[::2], (*places, ""), strict=True) for text in pair)


@cache
def may_be_empty(field: str) -> bool:
    return re.fullmatch(field_kinds()[field].pattern, "") is not None


@cache
def read_release_signs() -> tuple[Sign, ...]:
    """The signs of release_signs.tsv, in its order; rows of one name are one sign with several ranges. Then one a
    release, which nodes print by its name: of a vendor's build, whose numbers are others, nothing follows."""
    rows = read_fact_table("wording/release_signs.tsv")
    ranges: dict[str, list[int]] = {}
    for row in rows:
        ranges.setdefault(row["sign"], []).append(release_bits(row["since"], row["until"]))
    by_name = {row["sign"]: row for row in reversed(rows)}
    in_fields = (
        Sign(name, row["event"], row["field"], row["pattern"], reduce(or_, ranges[name]))
        for name, row in reversed(by_name.items())
    )
    by_itself = (
        Sign(f"release {name}", VERSION, VERSION, f"/^{re.escape(name)}$/", 1 << place)
        for place, name in enumerate(release_names())
    )
    return (*in_fields, *by_itself)


@cache
def events_with(field: str) -> tuple[str, ...]:
    """Events of which some wording has the field."""
    place = f"{{{field}}}"
    rows = (row for row in template_rows() if field == LEVEL or place in row["template"])
    return tuple(sorted({row["event"] for row in rows}))
