"""Tables that are asked for and that the run did not know, as one of an older release: what they tell is not known."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from pipeline.core.conditions import Condition
from pipeline.core.stored_tables import ReadableTables
from schemas.ops import run
from schemas.spec import TableSpec

TODO = "run the nightly job, which builds every table"


class VersionedTables(ReadableTables, Protocol):
    """versions: by name of every table that the run knew, 0 of one that is empty."""

    @property
    def versions(self) -> Mapping[str, int]: ...


class WatchedTables:
    """Tables of a run. unknown: those of them that were asked for and that the run did not know."""

    def __init__(self, tables: VersionedTables) -> None:
        self.tables, self.unknown = tables, set[str]()

    @property
    def versions(self) -> Mapping[str, int]:
        return self.tables.versions

    def has_rows(self, spec: TableSpec) -> bool:
        return self.seen(spec).has_rows(spec)

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        return self.seen(spec).read(spec, condition, columns)

    def seen(self, spec: TableSpec) -> VersionedTables:
        if spec != run.SPEC and spec.name not in self.versions:
            self.unknown.add(spec.name)
        return self.tables


def missing_table_notes(tables: ReadableTables) -> list[str]:
    """What an answer lacks that was put together from these, and what to do about it."""
    names = sorted(getattr(tables, "unknown", ()))
    if not names:
        return []
    return [f"what {table_names_text(names)} would tell: an older run published the others; {TODO}"]


def table_names_text(names: Sequence[str]) -> str:
    """table a, tables a and b."""
    if len(names) == 1:
        return f"table {names[0]}"
    return f"tables {', '.join(names[:-1])} and {names[-1]}"
