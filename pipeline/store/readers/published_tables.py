"""The Delta tables of a cluster as one run published them, read into memory without Spark."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from pipeline.core.conditions import Condition
from pipeline.core.frames import no_rows
from pipeline.store.runs.seen import runs_are_lost
from pipeline.store.tables.direct_reading import read_directly
from pipeline.store.tables.stated import Contents
from schemas.ops import run
from schemas.spec import TableSpec


class TablesOfVersions(ABC):
    """versions: by table, as the run published them. ops.run, which publishes, is read as it is now. lost: says of
    ops.run that it has lost that run."""

    versions: Mapping[str, int]
    lost: str | None = None

    def require_runs(self, spec: TableSpec) -> None:
        """WarehouseDamaged: the table is ops.run, which has lost runs."""
        if spec == run.SPEC and self.lost is not None:
            raise runs_are_lost(self.lost)

    def has_rows(self, spec: TableSpec) -> bool:
        return bool(self.versions) if spec == run.SPEC else self.versions.get(spec.name, 0) > 0

    def version(self, spec: TableSpec) -> int | None:
        """None: the newest."""
        return None if spec == run.SPEC else self.versions[spec.name]

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Columns that were declared after that run are null; there are no rows of a table that it did not publish."""
        self.require_runs(spec)
        names = tuple(columns or spec.columns)
        if not self.has_rows(spec):
            return no_rows(spec.arrow).select(names)
        return self.rows(spec, condition, names)

    @abstractmethod
    def rows(self, spec: TableSpec, condition: Condition | None, columns: Sequence[str]) -> pa.Table:
        """Of a table that was published."""


@dataclass(frozen=True)
class PublishedTables(TablesOfVersions):
    """folder: of the cluster, a path or a URI of an object store. contents: as the run stated them, by table."""

    folder: str
    versions: Mapping[str, int]
    contents: Mapping[str, Contents] = field(default_factory=dict)
    lost: str | None = None

    def rows(self, spec: TableSpec, condition: Condition | None, columns: Sequence[str]) -> pa.Table:
        stated = self.contents.get(spec.name)
        return read_directly(self.folder, spec, condition, columns, self.version(spec), stated)
