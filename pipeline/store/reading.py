"""How notebooks and other programs read: published versions of one run only."""

from functools import reduce

from pyspark.sql import DataFrame, SparkSession

from pipeline.core.errors import InputProblem
from pipeline.store.filesystem import HadoopFiles
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import run as ops_run


def clusters(spark: SparkSession, warehouse: str) -> list[str]:
    """Clusters of a warehouse that have an ops.run, sorted."""
    files = HadoopFiles(spark)
    root = warehouse.rstrip("/")
    return [name for name in files.names(root) if files.exists(f"{root}/{name}/ops/run/_delta_log")]


def read(
    spark: SparkSession, warehouse: str, table: str, cluster: str | None = None, run_id: str | None = None
) -> DataFrame:
    """Rows of `layer.table` as the newest run of each cluster published them, all clusters or one.

    run_id: as that run published them, as far as the retention of the tables keeps it.
    InputProblem: no such warehouse, cluster, run or table.
    """
    names = [cluster] if cluster is not None else clusters(spark, warehouse)
    stores = {name: ClusterWarehouse(spark, warehouse, name) for name in names}
    frames = [
        frame
        for store in stores.values()
        if (frame := published_rows(store, table, store.published(run_id).versions)) is not None
    ]
    if not frames:
        raise InputProblem(
            expected=f"table {table} published in {warehouse}"
            + (f" for cluster {cluster}" if cluster else ""),
            found=f"clusters {', '.join(names) or 'none'}, none of which publishes it",
            todo="run jobs/nightly.py on this warehouse first, or check the names",
        )
    return reduce(DataFrame.unionByName, frames)


def published_rows(store: ClusterWarehouse, table: str, versions: dict[str, int]) -> DataFrame | None:
    """The table at its published version; ops.run, which publishes, at its head; None if there is none."""
    if table == ops_run.SPEC.name:
        return store.delta.read(ops_run.SPEC) if store.delta.head(ops_run.SPEC) is not None else None
    if table not in versions:
        return None
    uri = f"{store.folder}/{table.replace('.', '/')}"
    return store.spark.read.format("delta").option("versionAsOf", versions[table]).load(uri)


def make_views(spark: SparkSession, warehouse: str, run_id: str | None = None) -> list[str]:
    """Session views `<layer>_<table>` of all tables at published versions, for SQL in notebooks. Their names."""
    frames: dict[str, list[DataFrame]] = {}
    for name in clusters(spark, warehouse):
        store = ClusterWarehouse(spark, warehouse, name)
        versions = store.published(run_id).versions
        for table in (ops_run.SPEC.name, *versions):
            rows = published_rows(store, table, versions)
            if rows is not None:
                frames.setdefault(table.replace(".", "_"), []).append(rows)
    for view, parts in frames.items():
        reduce(DataFrame.unionByName, parts).createOrReplaceTempView(view)
    return sorted(frames)
