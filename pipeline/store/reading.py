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
    frames = []
    for name in names:
        store = ClusterWarehouse(spark, warehouse, name)
        if table == ops_run.SPEC.name and store.delta.head(ops_run.SPEC) is not None:
            frames.append(store.delta.read(ops_run.SPEC))
            continue
        version = store.published(run_id).versions.get(table)
        if version is not None:
            layer, short = table.split(".")
            uri = f"{store.folder}/{layer}/{short}"
            frames.append(spark.read.format("delta").option("versionAsOf", version).load(uri))
    if not frames:
        raise InputProblem(
            expected=f"table {table} published in {warehouse}"
            + (f" for cluster {cluster}" if cluster else ""),
            found=f"clusters {', '.join(names) or 'none'}, none of which publishes it",
            todo="run jobs/nightly.py on this warehouse first, or check the names",
        )
    return reduce(DataFrame.unionByName, frames)


def make_views(spark: SparkSession, warehouse: str, run_id: str | None = None) -> list[str]:
    """Session views `<layer>_<table>` of all tables at published versions, for SQL in notebooks. Their names."""
    tables: set[str] = {ops_run.SPEC.name}
    for name in clusters(spark, warehouse):
        tables.update(ClusterWarehouse(spark, warehouse, name).published(run_id).versions)
    views = []
    for table in sorted(tables):
        view = table.replace(".", "_")
        read(spark, warehouse, table, run_id=run_id).createOrReplaceTempView(view)
        views.append(view)
    return views
