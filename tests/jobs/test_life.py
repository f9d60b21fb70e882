"""A cluster's logs over several runs: growth, rolling, a dead run, a closed gate; always the same answer."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs import ingest, judging, nightly
from pipeline.catalog.tables import BY_NAME, SPECS
from pipeline.store.gate import Expectation
from pipeline.store.reading import read
from pipeline.store.warehouse import ClusterWarehouse
from schemas.spec import TableSpec
from tests.gold.conftest import LOGS

pytestmark = pytest.mark.spark
OWN_OF_A_RUN = {"run_id", "load_seq", "path", "codec", "status", "checked_at"}
COMPARED = [
    name
    for name in BY_NAME
    if name not in ("bronze.source_file", "bronze.file_sighting", "ops.quality_result")
]
INGESTED = [name for name in COMPARED if not name.startswith("gold.")]


def lines_of(node_id: int, log: str) -> list[str]:
    return [f"{line.strip()}\n" for line in LOGS[node_id, log].strip().splitlines()]


def write(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return path


def run(logs: Path, warehouse: Path, job: Callable[[list[str]], int] = nightly.main) -> int:
    return job(["--logs", str(logs), "--warehouse", str(warehouse), "--cluster", "c"])


def content(spark: SparkSession, warehouse: Path, name: str) -> list[str]:
    """Rows as text in order, without what is a run's own."""
    rows: DataFrame = read(spark, str(warehouse), name)
    kept = sorted(set(rows.columns) - OWN_OF_A_RUN)
    return sorted(str(row) for row in rows.select(*kept).collect())


def test_growing_rolled_and_gzipped_logs_give_the_tables_of_one_reading(
    spark: SparkSession, tmp_path: Path
) -> None:
    logs, whole = tmp_path / "logs", tmp_path / "whole"
    for node_id, log in LOGS:
        write(whole, f"broker-{node_id}/{log}.log", lines_of(node_id, log))
    assert run(whole, tmp_path / "once") == 0

    controller, moves = lines_of(1, "controller"), lines_of(1, "state-change")
    write(logs, "broker-1/controller.log", controller[:4])
    rolled = write(logs, "broker-1/state-change.log", moves)
    assert run(logs, tmp_path / "often") == 0
    write(logs, "broker-1/controller.log", controller)
    write(logs, "broker-3/controller.log", lines_of(3, "controller"))
    (logs / "broker-1/state-change.log.2026-11-21-00.gz").write_bytes(gzip.compress(rolled.read_bytes()))
    rolled.unlink()
    shutil.copy(logs / "broker-1/controller.log", logs / "broker-1/controller.log.copy")
    assert run(logs, tmp_path / "often") == 0

    for name in COMPARED:
        assert content(spark, tmp_path / "often", name) == content(spark, tmp_path / "once", name), name


def test_what_a_dead_run_left_is_never_seen_and_undone(spark: SparkSession, tmp_path: Path) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    write(logs, "broker-1/controller.log", lines_of(1, "controller"))
    assert run(logs, warehouse, ingest.main) == 0
    store = ClusterWarehouse(spark, str(warehouse), "c")
    before = {name: content(spark, warehouse, name) for name in INGESTED}
    term = BY_NAME["silver.term"].spec
    store.delta.append(term, store.delta.read(term), "dead")
    assert {name: content(spark, warehouse, name) for name in INGESTED} == before
    assert run(logs, warehouse, ingest.main) == 0
    assert store.delta.read(term).count() == len(before["silver.term"])
    assert {name: content(spark, warehouse, name) for name in INGESTED} == before


def test_a_closed_gate_publishes_nothing_and_an_open_one_all(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    write(logs, "broker-1/controller.log", lines_of(1, "controller"))
    with monkeypatch.context() as patch:
        patch.setattr(judging, "expectation_of", never)
        assert run(logs, warehouse, ingest.main) == 5
    published = ClusterWarehouse(spark, str(warehouse), "c").published()
    assert {name for name, version in published.versions.items() if version} == {"ops.quality_result"}
    broken = read(spark, str(warehouse), "ops.quality_result").where("NOT is_met")
    assert {row.unexpected_count for row in broken.collect()} == {10}
    assert run(logs, warehouse, ingest.main) == 0
    assert read(spark, str(warehouse), "bronze.log_record").count() == len(lines_of(1, "controller"))
    assert set(ClusterWarehouse(spark, str(warehouse), "c").published().versions) == {
        spec.name for spec in SPECS
    }


def never(spec: TableSpec) -> Expectation:
    """A critical expectation that no row of bronze.log_record meets."""
    broken = "'never'" if spec.name == "bronze.log_record" else "string(null)"
    return Expectation(spec.name, "never", "critical", broken)
