"""The tables of wordings as the oracle reads them: text split at tabs, patterns for Python's `re`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WORDING = Path(__file__).resolve().parents[2] / "pipeline" / "kafka" / "wording"
PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
FLAGS = re.DOTALL | re.ASCII

Release = tuple[int, ...]
NEWEST: Release = (9999,)


@dataclass(frozen=True)
class Wording:
    """One row of by_mode/*.tsv. `head`: the text before its first field; `literal`: how many characters
    it fixes; `span`: releases, both included; `says`: fields that its literal text states."""

    number: int
    event: str
    logger: str
    text: str
    head: str
    literal: int
    fields: tuple[str, ...]
    pattern: re.Pattern[str]
    span: tuple[Release, Release]
    says: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Part:
    """One row of compounds.tsv: how `column` is found in the text of `field`."""

    field: str
    column: str
    pattern: re.Pattern[str]
    drop: str


def lines(file: Path) -> Iterator[dict[str, str]]:
    header, *rows = (line for line in file.read_text("utf-8").split("\n") if line)
    for row in rows:
        yield dict(zip(header.split("\t"), row.split("\t"), strict=True))


@cache
def fields() -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in lines(WORDING / "fields.tsv")}


@cache
def parts() -> tuple[Part, ...]:
    return tuple(
        Part(row["field"], row["column"], re.compile(row["pattern"], FLAGS), row["drop"])
        for row in lines(WORDING / "compounds.tsv")
    )


@cache
def compound_forms() -> tuple[dict[str, str], ...]:
    """How each release prints the fields that hold several values: (field, form, states, releases)."""
    return tuple(lines(Path(__file__).with_name("compounds.tsv")))


@cache
def wordings() -> tuple[Wording, ...]:
    """All rows, ZooKeeper mode first."""
    rows = [
        row for mode in ("zookeeper", "kraft", "both") for row in lines(WORDING / "by_mode" / f"{mode}.tsv")
    ]
    return tuple(_wording(number, row) for number, row in enumerate(rows))


def _wording(number: int, row: dict[str, str]) -> Wording:
    pieces = PLACE.split(row["template"])
    pattern, seen = "", []
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            pattern += re.escape(piece)
        elif piece in seen:
            pattern += f"(?:{fields()[piece]['pattern']})"
        else:
            seen.append(piece)
            pattern += f"(?P<{piece}>{fields()[piece]['pattern']})"
    return Wording(
        number=number,
        event=row["event"],
        logger=row["logger"],
        text=row["template"],
        head=pieces[0],
        literal=len("".join(pieces[::2])),
        fields=tuple(seen),
        pattern=re.compile(pattern, FLAGS),
        span=(release(row["since"]), release(row["until"])),
        says=tuple(
            (name, value) for name, _, value in (one.partition("=") for one in row.get("says", "").split())
        ),
    )


def release(text: str) -> Release:
    """`3.9.1` as (3, 9, 1); `3.9` and `3.9.x` as (3, 9): all of 3.9; `current` is above all."""
    return NEWEST if text == "current" else tuple(int(n) for n in text.split(".") if n != "x")


def overlap(one: Wording, other: Wording) -> bool:
    """Whether some release prints both."""
    return _begins(one, other) and _begins(other, one)


def _begins(one: Wording, other: Wording) -> bool:
    since, until = one.span[0], other.span[1]
    return since[: len(until)] <= until
