"""Tables of what is known of Kafka: text in the rooms of this folder, with the columns that tables.tsv declares."""

from functools import cache
from importlib.resources import files

from pipeline.core.tsv import Column, parse_tsv_rows
from schemas.namespace import full_module_name

# The table that declares the columns of all others, and its own.
DECLARATIONS = "tables.tsv"
DECLARED = tuple(Column(name, "") for name in ("table", "column", "accepted", "meaning"))
EMPTY = "-"


def read_fact_file(name: str) -> str:
    """Of pipeline/kafka/<name>, also from inside an archive."""
    return files(full_module_name("pipeline.kafka")).joinpath(name).read_text(encoding="utf-8")


@cache
def fact_table_columns() -> dict[str, tuple[Column, ...]]:
    """The declared columns of each table of facts, by its name: tables.tsv."""
    found: dict[str, list[Column]] = {}
    for row in parse_tsv_rows(DECLARATIONS, read_fact_file(DECLARATIONS), DECLARED):
        values = ("" if one == EMPTY else one for one in row["accepted"].split("|"))
        accepted = frozenset(values) if row["accepted"] else frozenset[str]()
        found.setdefault(row["table"], []).append(Column(row["column"], row["meaning"], accepted))
    return {name: tuple(columns) for name, columns in found.items()}


def read_fact_table(name: str) -> list[dict[str, str]]:
    """Rows of pipeline/kafka/<name>. SettingsError, with file and line: one is not as tables.tsv declares it."""
    return parse_tsv_rows(name, read_fact_file(name), fact_table_columns()[name])
