"""Tables that are asked for and that the run did not know, as one of an older release: what they tell is not known."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from jobs.text import format_count
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
    """Tables of a run. unknown: those of them that were asked for and that the run did not know; parts_left: of a
    backfill, that were still to be read."""

    def __init__(self, tables: VersionedTables, parts_left: int = 0) -> None:
        self.tables, self.unknown, self.parts_left = tables, set[str](), parts_left

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
    names, left = sorted(getattr(tables, "unknown", ())), parts_to_come(tables)
    halted = [f"what is not read yet would tell: {backfill_text(left)}"] if left else []
    if not names:
        return halted
    return [*halted, f"what {table_names_text(names)} would tell: an older run published the others; {TODO}"]


def parts_to_come(tables: ReadableTables) -> int:
    """Of a backfill that was killed, or is going on: the tables end in the middle of what the logs tell."""
    return getattr(tables, "parts_left", 0)


def backfill_text(parts: int) -> str:
    return f"backfill: {format_count(parts, 'part')} to come"


def table_names_text(names: Sequence[str]) -> str:
    """table a, tables a and b."""
    if len(names) == 1:
        return f"table {names[0]}"
    return f"tables {', '.join(names[:-1])} and {names[-1]}"
