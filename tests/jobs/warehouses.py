"""A warehouse in tests: its cluster, what it publishes, and rows of ops.run that no job wrote."""

from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.catalog.tables import BY_NAME, SPECS, Refresh
from pipeline.store.health.upkeep import add_columns, declaration_difference
from pipeline.store.reading import snapshot
from pipeline.store.runs.published import Published
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import run
from tests.golden import CLUSTER

RECORDS = {"BEGUN": 6, "WHOLE": 19}
OWN_OF_A_RUN = {"run_id", "load_seq", "path", "status"}
DERIVED = [
    name
    for name, one in BY_NAME.items()
    if one.refresh in (Refresh.APPEND, Refresh.INCREMENTAL, Refresh.FULL)
]


def store_of(spark: SparkSession, warehouse: Path) -> ClusterWarehouse:
    return ClusterWarehouse(spark, str(warehouse), CLUSTER)


def content(frame: DataFrame) -> list[str]:
    kept = sorted(set(frame.columns) - OWN_OF_A_RUN)
    return sorted(str(row) for row in frame.select(*kept).collect())


def contents(spark: SparkSession, warehouse: Path, run_id: str | None = None) -> dict[str, list[str]]:
    seen = snapshot(spark, str(warehouse), CLUSTER, run_id)
    return {name: content(seen.read(name)) for name in DERIVED if name in seen.tables()}


def with_columns_of_now(store: ClusterWarehouse) -> None:
    """ops.run as migration leaves it, and nothing else of it."""
    found = declaration_difference(store.delta, run.SPEC)
    if found.missing:
        add_columns(store.delta, found)


def published_anew(store: ClusterWarehouse, **columns: object) -> Published:
    """The heads of all tables, published by a row that says otherwise what is given."""
    newest = store.delta.read_named("ops.run").orderBy(F.col("run_seq").desc()).first()
    assert newest is not None
    heads = {spec.name: head for spec in SPECS if (head := store.delta.head(spec)) is not None}
    store.bases = dict(heads)
    row = newest.asDict() | {
        "run_id": store.new_run(datetime.now(UTC)),
        "run_seq": newest.run_seq + 1,
        "table_versions": heads,
    }
    with_columns_of_now(store)
    store.publish(row | columns)
    return store.published()
