"""The tables of a cluster as a run reads and writes them; in memory, where nothing is stored."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

import polars as pl
import pyarrow as pa

from pipeline.core.conditions import Condition, column_reaching
from pipeline.core.frames import arrow_of_frame, empty_frame, frame_of
from schemas.spec import TableSpec


class ReadableTables(Protocol):
    """Reads the rows that the tables of one cluster hold."""

    def has_rows(self, spec: TableSpec) -> bool:
        """False if nothing was ever written into the table."""

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Rows that meet the condition, with the declared types."""


class StoredTables(ReadableTables, Protocol):
    """Writes, too: each write is a commit of one table, or two that a run publishes together."""

    def append(self, spec: TableSpec, rows: pa.Table) -> None:
        """Adds the rows."""

    def replace(self, spec: TableSpec, rows: pa.Table) -> None:
        """Puts the rows in place of all."""

    def replace_from(self, spec: TableSpec, rows: pa.Table, column: str, start: datetime) -> None:
        """Puts the rows in place of those whose column reaches `start`, or is null."""


class SegmentTables(StoredTables, Protocol):
    """Tables as the loading of segments writes them, too."""

    def create_missing(self, *specs: TableSpec) -> None:
        """Makes those that are not there yet, without rows."""

    def delete_segments(self, spec: TableSpec, load_seqs: Collection[int]) -> None:
        """Takes out the rows of these segments."""


class MemoryTables:
    """Tables of one cluster in memory, by name; each in one piece: a read takes as long as there are pieces."""

    def __init__(self) -> None:
        self.rows: dict[str, pl.DataFrame] = {}

    def has_rows(self, spec: TableSpec) -> bool:
        return spec.name in self.rows

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        rows = self.rows.get(spec.name)
        return select_from_memory(
            empty_frame(spec) if rows is None else rows, condition, columns or spec.columns
        )

    def append(self, spec: TableSpec, rows: pa.Table) -> None:
        stored = self.rows.get(spec.name)
        new = frame_of(rows)
        self.rows[spec.name] = new if stored is None else pl.concat([stored, new], rechunk=True)

    def replace(self, spec: TableSpec, rows: pa.Table) -> None:
        self.rows[spec.name] = frame_of(rows)

    def replace_from(self, spec: TableSpec, rows: pa.Table, column: str, start: datetime) -> None:
        stored = self.rows.get(spec.name, empty_frame(spec))
        kept = stored.filter(~column_reaching(column, start).polars())
        self.rows[spec.name] = pl.concat([kept, frame_of(rows)], rechunk=True)

    def create_missing(self, *specs: TableSpec) -> None:
        """Nothing: what is not there reads as what has no rows."""

    def delete_segments(self, spec: TableSpec, load_seqs: Collection[int]) -> None:
        if spec.name in self.rows:
            self.rows[spec.name] = self.rows[spec.name].filter(~pl.col("load_seq").is_in(list(load_seqs)))


def columns_to_read(condition: Condition | None, columns: Sequence[str]) -> list[str]:
    """The columns, and those that the condition looks at."""
    looked_at = [] if condition is None else condition.polars().meta.root_names()
    return list(dict.fromkeys((*columns, *looked_at)))


def select_from_memory(rows: pl.DataFrame, condition: Condition | None, columns: Sequence[str]) -> pa.Table:
    """Of rows in memory what a reader asks for."""
    found = rows if condition is None else rows.filter(condition.polars())
    return arrow_of_frame(found.select(columns))
