"""What is stated of a Delta table at a version: data files, their rows and bytes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DataFile:
    """A Parquet file of a table; path: below the table's folder. rows: None where the log does not count them.
    written_ms: by the log, since the epoch."""

    path: str
    size_bytes: int
    rows: int | None
    written_ms: int


@dataclass(frozen=True)
class Contents:
    """Sums over the data files of a version."""

    rows: int
    files: int
    size_bytes: int


def contents_of_files(files: Collection[DataFile]) -> Contents:
    return Contents(sum(one.rows or 0 for one in files), len(files), sum(one.size_bytes for one in files))


def stated_in(row: Mapping[str, Any]) -> dict[str, Contents]:
    """By table what a row of ops.run states."""
    rows, files, size = (dict(row.get(name) or {}) for name in ("table_rows", "table_files", "table_bytes"))
    return {str(name): Contents(int(rows[name]), int(files[name]), int(size[name])) for name in rows}


def as_columns(contents: Mapping[str, Contents]) -> dict[str, dict[str, int]]:
    """The three columns of ops.run that state them."""
    return {
        "table_rows": {name: one.rows for name, one in contents.items()},
        "table_files": {name: one.files for name, one in contents.items()},
        "table_bytes": {name: one.size_bytes for name, one in contents.items()},
    }
