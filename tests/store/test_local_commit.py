"""The row that commits a run: delta-rs and Spark write it by turns, and of several with one number one passes."""

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.tables.local_commit import CHECKPOINT_EACH, add_row
from pipeline.store.warehouse import WRITER
from schemas.ops import run
from schemas.spark import struct_of
from tests.golden import CLUSTER, unpacked
from tests.jobs.warehouses import store_of, with_columns_of_now

pytestmark = pytest.mark.spark


@pytest.fixture
def golden(spark: SparkSession, tmp_path: Path) -> Path:
    warehouse = unpacked(tmp_path)
    with_columns_of_now(store_of(spark, warehouse))
    return warehouse


def newest_row(store: DeltaFolder) -> dict[str, Any]:
    (row,) = store.read(run.SPEC).orderBy("run_seq", ascending=False).limit(1).collect()
    return row.asDict(recursive=True)


def following(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"run_seq": row["run_seq"] + 1, "sentence": f"after {row['run_seq']}"}


def test_spark_reads_and_continues_what_was_added(spark: SparkSession, golden: Path) -> None:
    """Rows are the same by type and value, whoever wrote them, over a checkpoint."""
    delta = store_of(spark, golden).delta
    folder = golden / CLUSTER / "ops" / "run"
    rows = [newest_row(delta)]
    for number in range(CHECKPOINT_EACH):
        rows.append(following(rows[-1]))
        if number % 4 == 3:
            frame = spark.createDataFrame([rows[-1]], struct_of(run.SPEC))
            once = {"txnAppId": WRITER, "txnVersion": str(rows[-1]["run_seq"])}
            delta.append(run.SPEC, frame, f"note {number}", once)
        else:
            assert add_row(folder, run.SPEC, rows[-1], f"note {number}", WRITER, rows[-1]["run_seq"])
        assert delta.note(run.SPEC.name, delta.head(run.SPEC) or 0) == f"note {number}"
    copied = shutil.copytree(golden, golden.parent / "copied")
    for store in (delta, store_of(spark, copied).delta):
        found = store.read(run.SPEC).orderBy("run_seq").collect()
        assert [row.asDict(recursive=True) for row in found][1:] == rows


def test_checkpoints_are_made_of_every_tenth_version(spark: SparkSession, golden: Path) -> None:
    delta = store_of(spark, golden).delta
    folder, row = golden / CLUSTER / "ops" / "run", newest_row(delta)
    while (delta.head(run.SPEC) or 0) < CHECKPOINT_EACH:
        row = following(row)
        assert add_row(folder, run.SPEC, row, "note", WRITER, row["run_seq"])
    names = {path.name for path in (folder / "_delta_log").iterdir()}
    assert f"{CHECKPOINT_EACH:020d}.checkpoint.parquet" in names and "_last_checkpoint" in names
    for version in range(CHECKPOINT_EACH):
        (folder / "_delta_log" / f"{version:020d}.json").unlink()
    copied = shutil.copytree(golden, golden.parent / "copied")
    assert newest_row(store_of(spark, copied).delta) == row


def test_of_several_that_follow_one_run_one_passes(spark: SparkSession, golden: Path) -> None:
    delta = store_of(spark, golden).delta
    folder, row = golden / CLUSTER / "ops" / "run", following(newest_row(delta))
    head, barrier = delta.head(run.SPEC) or 0, threading.Barrier(8)

    def add(note: str) -> bool:
        barrier.wait()
        return add_row(folder, run.SPEC, row, note, WRITER, row["run_seq"])

    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(add, "abcdefgh"))
    assert added.count(True) == 1
    assert delta.head(run.SPEC) == head + 1
    assert delta.note(run.SPEC.name, head + 1) == "abcdefgh"[added.index(True)]


def test_a_number_that_is_used_up_adds_nothing(spark: SparkSession, golden: Path) -> None:
    """Whoever used it."""
    delta = store_of(spark, golden).delta
    folder, row = golden / CLUSTER / "ops" / "run", newest_row(delta)
    head = delta.head(run.SPEC)
    assert not add_row(folder, run.SPEC, row, "note", WRITER, row["run_seq"])
    assert delta.head(run.SPEC) == head
