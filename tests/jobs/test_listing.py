"""A run reads the files as they are once the cluster is its own, whatever it found before that."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import ingest, main
from jobs.request import RunResult
from jobs.run import run_cluster
from pipeline.store.reading import read
from tests.jobs.small_logs import INGESTED, contents, lines_of, run, write

pytestmark = pytest.mark.spark
LINES = lines_of(1, "controller")
TORN = 20  # characters of the last record that had been written


def quiet(logs: Path, name: str, text: str, written_at: int) -> Path:
    path = write(logs, name, [text])
    os.utime(path, (written_at, written_at))
    return path


def overtaken(act: Callable[[], object], patch: pytest.MonkeyPatch) -> Callable[..., RunResult]:
    """The run of a cluster, before which another one comes: it found its files later and has the lock earlier."""

    def run_later(*given: object) -> RunResult:
        patch.undo()
        act()
        return run_cluster(*given)  # type: ignore[arg-type]

    return run_later


def test_a_run_that_is_overtaken_reads_nothing_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It found a log with a torn record; by its turn the log was read whole."""
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    whole, half = "".join(LINES), "".join(LINES[: len(LINES) // 2])
    quiet(logs, "broker-1/controller.log", half[:-TORN], 1_000_000_000)

    def other_run() -> None:
        quiet(logs, "broker-1/controller.log", whole, 1_500_000_000)
        assert run(logs, warehouse, ingest.main) == 0

    with monkeypatch.context() as patch:
        patch.setattr(main, "run_cluster", overtaken(other_run, patch))
        assert run(logs, warehouse, ingest.main) == 0
    files = read(spark, str(warehouse), "bronze.source_file").collect()
    assert [(one.start_offset, one.consumed_bytes) for one in files] == [(0, len(whole.encode()))]
    assert run(logs, tmp_path / "once", ingest.main) == 0
    assert contents(spark, warehouse, INGESTED) == contents(spark, tmp_path / "once", INGESTED)
