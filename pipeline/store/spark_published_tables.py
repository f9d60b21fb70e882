"""The Delta tables of a cluster as one run published them, where Spark alone can read them (HDFS)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from pipeline.core.conditions import Condition
from pipeline.store.arrow_rows import arrow_of
from pipeline.store.cluster_tables import column_of
from pipeline.store.delta import with_later_columns
from pipeline.store.filesystem import files_of
from pipeline.store.late_session import late
from pipeline.store.local_files import LocalFiles
from pipeline.store.published import Published
from pipeline.store.readable_warehouse import DirectWarehouse, ReadableWarehouse
from pipeline.store.reading import clusters
from pipeline.store.session import get_spark, tune_for_size
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import run
from schemas.spec import TableSpec


@dataclass(frozen=True)
class SparkPublishedTables:
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


@dataclass(frozen=True)
class SparkWarehouse:
    """A warehouse in a file system that Spark alone knows."""

    spark: SparkSession
    root: str

    @classmethod
    def at(cls, uri: str) -> ReadableWarehouse:
        """Where Spark takes the URI for a path of this machine, delta-rs reads it all the same."""
        spark = get_spark()
        files = files_of(late(spark), uri)
        if isinstance(files, LocalFiles):
            return DirectWarehouse(files.qualified(uri), files)
        # Answers are small: to compile their plans takes longer than to interpret them.
        tune_for_size(spark, 0, 0)
        return cls(spark, uri)

    def clusters(self) -> list[str]:
        return clusters(self.spark, self.root)

    def published(self, cluster: str, run_id: str | None = None) -> Published:
        return self.store(cluster).published(run_id)

    def tables(self, cluster: str, seen: Published) -> SparkPublishedTables:
        return SparkPublishedTables(self.store(cluster), seen.versions)

    def store(self, cluster: str) -> ClusterWarehouse:
        return ClusterWarehouse(self.spark, self.root, cluster)
