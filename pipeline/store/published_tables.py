"""The Delta tables of a cluster as one run published them, read into memory without Spark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from pipeline.core.conditions import Condition
from pipeline.store.local_reading import read_directly
from schemas.ops import run
from schemas.spec import TableSpec


@dataclass(frozen=True)
class PublishedTables:
    """folder: of the cluster, a path or a URI of an object store. versions: by table, as the run published them.

    ops.run, which publishes, is read as it is now.
    """

    folder: str
    versions: Mapping[str, int]

    def has_rows(self, spec: TableSpec) -> bool:
        return spec == run.SPEC or self.versions.get(spec.name, 0) > 0

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Columns that were declared after that run are null; there are no rows of a table that it did not publish."""
        if not self.has_rows(spec):
            return spec.arrow.empty_table().select(columns or spec.columns)
        version = None if spec == run.SPEC else self.versions[spec.name]
        return read_directly(self.folder, spec, condition, columns, version)
