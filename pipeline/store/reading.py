"""How notebooks and other programs read: published versions of one run only."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.core.errors import InputProblem
from pipeline.store.runs.published import Published, is_cluster
from pipeline.store.runs.seen import read_run_or_copy, runs_are_lost
from pipeline.store.spark.filesystem import files_for_uri
from pipeline.store.spark.late_session import Spark, as_late_session
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import run as ops_run


def clusters(spark: Spark, warehouse: str) -> list[str]:
    """Clusters of a warehouse, sorted."""
    files = files_for_uri(as_late_session(spark), warehouse)
    root = warehouse.rstrip("/")
    return [name for name in files.names(root) if is_cluster(files, f"{root}/{name}")]


@dataclass(frozen=True)
class Snapshot:
    """What one run of each cluster published: all tables read through it are of these runs, whatever goes on."""

    spark: SparkSession
    warehouse: str
    stores: Mapping[str, ClusterWarehouse]
    runs: Mapping[str, Published]

    def tables(self) -> list[str]:
        """Names (layer.table) of all tables that any cluster publishes, sorted."""
        return sorted({ops_run.SPEC.name}.union(*(one.versions for one in self.runs.values())))

    def read(self, table: str) -> DataFrame:
        """Rows of `layer.table`, all clusters; columns that one of them does not have yet are null there.

        InputProblem: no cluster publishes it, or retention has removed it.
        """
        frames = [rows for name in self.runs if (rows := self.rows_of(name, table)) is not None]
        if not frames:
            raise InputProblem(
                expected=f"table {table} published in {self.warehouse}",
                found=f"clusters {', '.join(self.stores) or 'none'}, none of which publishes it",
                todo="run jobs/nightly.py on this warehouse first, or check the names",
            )
        return reduce(partial(DataFrame.unionByName, allowMissingColumns=True), frames)

    def rows_of(self, cluster: str, table: str) -> DataFrame | None:
        """The table at its published version; ops.run, which publishes, up to that run; None if there is none."""
        delta, published = self.stores[cluster].delta, self.runs[cluster]
        if table == ops_run.SPEC.name:
            if published.lost is not None:
                raise runs_are_lost(published.lost)
            return delta.read(ops_run.SPEC).where(F.col("run_seq") <= published.run_seq)
        return delta.read_named(table, published.versions[table]) if table in published.versions else None


def seen_in(store: ClusterWarehouse, run_id: str | None) -> Published:
    """What readers see of a cluster: see `seen.seen`."""
    return read_run_or_copy(store.files, store.folder, store.run_rows, run_id)


def snapshot(
    spark: SparkSession, warehouse: str, cluster: str | None = None, run_id: str | None = None
) -> Snapshot:
    """The newest run of each cluster, or of one; run_id: that run, which is of one cluster only.

    InputProblem: no such run, or retention has removed it.
    """
    names = [cluster] if cluster is not None else clusters(spark, warehouse)
    stores = {name: ClusterWarehouse(spark, warehouse, name) for name in names}
    runs = {name: seen_in(store, run_id) for name, store in stores.items()}
    runs = {name: one for name, one in runs.items() if one.run_id is not None}
    if run_id is not None and not runs:
        raise InputProblem(
            expected=f"run {run_id} in {warehouse}",
            found=f"no run of that name in the clusters {', '.join(names) or 'none'}",
            todo="take a run_id from ops.run; 'runs' lists them",
        )
    return Snapshot(spark, warehouse, stores, runs)


def read(
    spark: SparkSession, warehouse: str, table: str, cluster: str | None = None, run_id: str | None = None
) -> DataFrame:
    """Rows of `layer.table` as the newest run of each cluster published them, all clusters or one.

    Two calls may see two runs: `snapshot` reads several tables of one. InputProblem: no such warehouse,
    cluster, run or table.
    """
    return snapshot(spark, warehouse, cluster, run_id).read(table)


def make_views(spark: SparkSession, warehouse: str, run_id: str | None = None) -> list[str]:
    """Session views `<layer>_<table>` of all tables at published versions, for SQL in notebooks. Their names."""
    seen = snapshot(spark, warehouse, None, run_id)
    names = []
    for table in seen.tables() if seen.runs else []:
        names.append(table.replace(".", "_"))
        seen.read(table).createOrReplaceTempView(names[-1])
    return names
