"""The Delta tables of a cluster as one run published them, where Spark alone can read them (HDFS)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import SparkSession

from pipeline.core.conditions import Condition
from pipeline.store.cluster_tables import column_of
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.published_tables import TablesOfVersions
from pipeline.store.readers.readable_warehouse import DirectWarehouse, ReadableWarehouse
from pipeline.store.reading import clusters, seen_in
from pipeline.store.runs.published import Published
from pipeline.store.spark.arrow_rows import arrow_of
from pipeline.store.spark.filesystem import files_for_uri
from pipeline.store.spark.late_session import as_late_session
from pipeline.store.spark.session import get_spark, tune_for_size
from pipeline.store.tables.delta import with_later_columns
from pipeline.store.warehouse import ClusterWarehouse
from schemas.spec import TableSpec


@dataclass(frozen=True)
class SparkPublishedTables(TablesOfVersions):
    store: ClusterWarehouse
    versions: Mapping[str, int]
    lost: str | None = None

    def rows(self, spec: TableSpec, condition: Condition | None, columns: Sequence[str]) -> pa.Table:
        rows = with_later_columns(spec, self.store.delta.read(spec, self.version(spec)))
        rows = rows if condition is None else rows.where(column_of(condition))
        return arrow_of(rows.select(*columns), spec)


@dataclass(frozen=True)
class SparkWarehouse:
    """A warehouse in a file system that Spark alone knows."""

    spark: SparkSession
    root: str

    @classmethod
    def at(cls, uri: str) -> ReadableWarehouse:
        """Where Spark takes the URI for a path of this machine, delta-rs reads it all the same."""
        spark = get_spark()
        files = files_for_uri(as_late_session(spark), uri)
        if isinstance(files, LocalFiles):
            return DirectWarehouse(files.qualified(uri), files)
        # Answers are small: to compile their plans takes longer than to interpret them.
        tune_for_size(spark, 0, 0)
        return cls(spark, uri)

    def clusters(self) -> list[str]:
        return clusters(self.spark, self.root)

    def published(self, cluster: str, run_id: str | None = None) -> Published:
        return seen_in(self.store(cluster), run_id)

    def tables(self, cluster: str, seen: Published) -> SparkPublishedTables:
        return SparkPublishedTables(self.store(cluster), seen.versions, seen.lost)

    def store(self, cluster: str) -> ClusterWarehouse:
        return ClusterWarehouse(self.spark, self.root, cluster)
