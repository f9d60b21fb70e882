"""kill -9 of the driver at every act of a run: readers see what they saw, and the next run makes all of it good."""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import ingest
from pipeline.store.warehouse import ClusterWarehouse
from tests.conftest import REPOSITORY
from tests.jobs.small_logs import run
from tests.life.test_faults import begun, contents

pytestmark = [pytest.mark.spark, pytest.mark.soak]


def dying(logs: Path, warehouse: Path, at: int, when: str) -> subprocess.CompletedProcess[str]:
    arguments = ["--logs", str(logs), "--warehouse", str(warehouse), "--cluster", "c"]
    return subprocess.run(
        [sys.executable, "-m", "tests.life.dying", str(at), when, "ingest", *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def test_killed_at_every_act(spark: SparkSession, tmp_path: Path) -> None:
    logs, warehouse, whole = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "whole"
    begun(logs, warehouse)
    before = ClusterWarehouse(spark, str(warehouse), "c").published()
    shutil.copytree(warehouse, whole)
    said = dying(logs, whole, 0, "before")
    counted = re.search(r"acts (\d+)", said.stdout)
    assert said.returncode == 0 and counted is not None, said.stderr[-2000:]
    expected = contents(spark, whole)
    for at in range(1, int(counted[1]) + 1):
        for when in ("before", "after"):
            if (at, when) == (int(counted[1]), "after"):
                continue  # the row of ops.run is written: this run is published
            assert dying(logs, warehouse, at, when).returncode == -signal.SIGKILL, (at, when)
            assert ClusterWarehouse(spark, str(warehouse), "c").published() == before, (at, when)
    assert run(logs, warehouse, ingest.main) == 0
    assert contents(spark, warehouse) == expected
