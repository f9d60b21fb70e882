"""The Delta tables of a cluster as one run published them, read into the driver's memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from pipeline.core.conditions import Condition
from pipeline.store.arrow_rows import arrow_of
from pipeline.store.cluster_tables import column_of
from pipeline.store.delta import with_later_columns
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import run
from schemas.spec import TableSpec


@dataclass(frozen=True)
class PublishedTables:
    """versions: by table, as the run published them. ops.run, which publishes, is read as it is now."""

    store: ClusterWarehouse
    versions: Mapping[str, int]

    def has_rows(self, spec: TableSpec) -> bool:
        return spec == run.SPEC or self.versions.get(spec.name, 0) > 0

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Columns that were declared after that run are null; there are no rows of a table that it did not publish."""
        names = columns or spec.columns
        if not self.has_rows(spec):
            return spec.arrow.empty_table().select(names)
        rows = with_later_columns(spec, self.rows(spec))
        rows = rows if condition is None else rows.where(column_of(condition))
        return arrow_of(rows.select(*names), spec)

    def rows(self, spec: TableSpec) -> DataFrame:
        return self.store.delta.read(spec, None if spec == run.SPEC else self.versions[spec.name])
