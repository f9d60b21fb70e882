"""One run at a time: a living owner is respected, a dead one is followed."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.core.errors import Locked
from pipeline.store.filesystem import HadoopFiles
from pipeline.store.lock import DEAD_AFTER_SECONDS, cluster_lock

pytestmark = pytest.mark.spark


def held(folder: Path, pid: int, host: str, beat: float) -> None:
    folder.mkdir()
    (folder / "_lock").write_text(json.dumps({"run_id": "other", "host": host, "pid": pid, "beat": beat}))


def test_a_lock_is_released_and_its_empty_folder_with_it(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with cluster_lock(HadoopFiles(spark), str(folder), "mine"):
        assert json.loads((folder / "_lock").read_text())["run_id"] == "mine"
    assert not folder.exists()


def test_a_living_owner_is_named(spark: SparkSession, tmp_path: Path) -> None:
    held(tmp_path / "c", os.getpid(), socket.gethostname(), time.time())
    with (
        pytest.raises(Locked, match="run other at work"),
        cluster_lock(HadoopFiles(spark), str(tmp_path / "c"), "mine"),
    ):
        pass


@pytest.mark.parametrize("how", ["process is gone", "no heart-beat"])
def test_a_dead_owner_is_followed(spark: SparkSession, tmp_path: Path, how: str) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    if how == "process is gone":
        held(tmp_path / "c", ended.pid, socket.gethostname(), time.time())
    else:
        held(tmp_path / "c", 1, "another-host", time.time() - DEAD_AFTER_SECONDS - 1)
    with cluster_lock(HadoopFiles(spark), str(tmp_path / "c"), "mine"):
        assert json.loads((tmp_path / "c" / "_lock").read_text())["run_id"] == "mine"
