"""Tables of what is known of Kafka: text in the rooms of this folder, with the columns that tables.tsv declares."""

from functools import cache
from importlib.resources import files

from pipeline.core.tsv import Column, rows_of
from schemas.namespace import named

# The table that declares the columns of all others, and its own.
DECLARATIONS = "tables.tsv"
DECLARED = tuple(Column(name, "") for name in ("table", "column", "accepted", "meaning"))
EMPTY = "-"


def text_of(name: str) -> str:
    """Of pipeline/kafka/<name>, also from inside an archive."""
    return files(named("pipeline.kafka")).joinpath(name).read_text(encoding="utf-8")


@cache
def headers() -> dict[str, tuple[Column, ...]]:
    """The declared columns of each table of facts, by its name: tables.tsv."""
    found: dict[str, list[Column]] = {}
    for row in rows_of(DECLARATIONS, text_of(DECLARATIONS), DECLARED):
        values = ("" if one == EMPTY else one for one in row["accepted"].split("|"))
        accepted = frozenset(values) if row["accepted"] else frozenset[str]()
        found.setdefault(row["table"], []).append(Column(row["column"], row["meaning"], accepted))
    return {name: tuple(columns) for name, columns in found.items()}


def table(name: str) -> list[dict[str, str]]:
    """Rows of pipeline/kafka/<name>. SettingsError, with file and line: one is not as tables.tsv declares it."""
    return rows_of(name, text_of(name), headers()[name])
