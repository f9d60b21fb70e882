"""A warehouse that is not on this machine: Spark alone writes and reads it, the tables are those of a local one."""

import os
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import ingest
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.conditions import column_since
from pipeline.core.errors import Locked
from pipeline.store.cluster_tables import ClusterTables
from pipeline.store.executors import SparkExecutors
from pipeline.store.locks.lock import cluster_lock
from pipeline.store.reading import clusters, read, snapshot
from pipeline.store.spark.filesystem import HadoopFiles
from pipeline.store.warehouse import ClusterWarehouse
from schemas.silver import leader_and_isr
from tests.golden import CLUSTER, unpacked
from tests.jobs.small_logs import INGESTED, contents, lines_of, run, write

pytestmark = pytest.mark.spark


@pytest.fixture
def elsewhere(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """A file system of another scheme, kept below this folder; Hadoop knows it by its name for good."""
    (tmp_path / "elsewhere").mkdir()
    name, hadoop = uuid.uuid4().hex, spark._jsc.hadoopConfiguration()
    link = f"fs.viewfs.mounttable.{name}.link./elsewhere"
    hadoop.set(link, f"file://{tmp_path}/elsewhere")
    yield f"viewfs://{name}/elsewhere/warehouse"
    hadoop.unset(link)


@pytest.mark.soak
def test_one_run_at_a_time_is_published(spark: SparkSession, elsewhere: str, tmp_path: Path) -> None:
    """A second is locked out; of two that follow one all the same the first is published."""
    unpacked(tmp_path / "elsewhere")
    write(tmp_path / "logs", "broker-1/controller.log", lines_of(1, "controller"))
    given = ["--logs", str(tmp_path / "logs"), "--cluster", CLUSTER, "--warehouse", elsewhere]
    store = ClusterWarehouse(spark, elsewhere, CLUSTER)
    assert isinstance(store.files, HadoopFiles)
    with cluster_lock(store.files, store.folder):
        assert ingest.main(given) == 6
    runs = read(spark, elsewhere, "ops.run").orderBy("run_seq")
    *_, row = (one.asDict(recursive=True) for one in runs.collect())
    store.bases = dict(row["table_versions"])
    later = row | {"run_seq": row["run_seq"] + 1, "run_id": "20990101T000000.000000Z"}
    store.publish(later)
    with pytest.raises(Locked, match=r"run 20990101T000000\.000000Z published meanwhile"):
        store.publish(later | {"run_id": "20990101T000000.000001Z"})
    assert store.published().run_id == later["run_id"]


@pytest.mark.soak
def test_nights_elsewhere_are_nights(spark: SparkSession, tmp_path: Path, elsewhere: str) -> None:
    """A first one, one with nothing new, one over logs that have grown."""
    logs = tmp_path / "logs"
    lines = lines_of(1, "controller")
    for count, outcome in ((4, "published"), (4, "nothing_new"), (len(lines), "published")):
        os.utime(write(logs, "broker-1/controller.log", lines[:count]), (0, 0))
        given = ["--logs", str(logs), "--cluster", "c"]
        assert ingest.main([*given, "--warehouse", elsewhere]) == 0
        newest = read(spark, elsewhere, "ops.run").orderBy("run_seq", ascending=False).first()
        assert newest is not None and newest.outcome == outcome
        assert snapshot(spark, elsewhere, "c").runs["c"].run_id == newest.run_id
    assert clusters(spark, elsewhere) == ["c"]
    assert run(logs, tmp_path / "here", ingest.main) == 0
    there = contents(tmp_path / "elsewhere" / "warehouse", INGESTED)
    assert there == contents(tmp_path / "here", INGESTED)


@pytest.mark.soak
def test_executors_give_the_same_of_files_that_they_see_and_of_rows_that_spark_reads(
    spark: SparkSession, elsewhere: str, tmp_path: Path
) -> None:
    """Of records, copies left out, and of what is stored; the one by paths, the other through Spark."""
    here = unpacked(tmp_path / "elsewhere")
    found = [given_by_executors(ClusterWarehouse(spark, one, CLUSTER)) for one in (str(here), elsewhere)]
    assert found[0] == found[1]
    assert all(found[0].values())


def given_by_executors(store: ClusterWarehouse) -> dict[str, list[str]]:
    """By name the rows that executors give of some records, and of what is stored since a day."""
    executors = SparkExecutors(ClusterTables(store, "run", dict(store.published().versions)))
    kernels = [BY_SHORT_NAME[one].row_kernel for one in ("leader_and_isr", "wording_seen")]
    packs = executors.run(kernels, column_since("load_seq", 2), shards=3)
    since = column_since("logged_at", datetime(2024, 1, 1, tzinfo=UTC))
    stored = executors.stored([("stored", leader_and_isr.SPEC, since)], shards=3)
    names = [(packs, one.name) for one in kernels] + [(stored, "stored")]
    rows = {name: given.named(name) for given, name in names}
    packs.release()
    stored.release()
    return {name: sorted(map(str, one.to_pylist())) for name, one in rows.items() if one is not None}
