"""Many clusters in one run: small ones side by side without Spark, and none holds back another."""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import pytest

from jobs.cluster_job import ClusterJob, ClusterOutcome
from jobs.engine.run.progress import Progress
from jobs.fleet import LocalProcesses, clusters_at_once, run_side_by_side
from jobs.machine import memory_bytes, processors
from pipeline.store.readers.readable_warehouse import readable_warehouse
from schemas.silver import term
from tests.conftest import REPOSITORY
from tests.jobs.fleet_logs import Done, Dying, jobs_of, write_fleet
from tests.jobs.javaless import without_java
from tests.jobs.small_logs import write

# A process that is started, or has lost its parent, needs a few; beside other work some more.
PATIENCE_SECONDS = 120


class Waiting(ClusterJob):
    """It tells its process through one pipe, and keeps it open."""

    def run(self, *_: Any) -> ClusterOutcome:
        with Path(self.arguments.logs[0]).open("w") as begun:
            begun.write(f"{os.getpid()}\n")
            begun.flush()
            Path(self.arguments.warehouse).read_text()
        return ClusterOutcome(0)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return write_fleet(tmp_path)


def test_a_run_needs_no_java_and_tells_in_the_order_of_names(logs: Path) -> None:
    """Exit code 7: a file of b is not read."""
    done = subprocess.run(
        [sys.executable, "-m", "jobs.nightly", "--logs", str(logs), "--warehouse", str(logs.parent / "w")],
        cwd=REPOSITORY,
        env=without_java() | {"KCA_LIMITS__CLUSTERS_AT_ONCE": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7, done.stderr
    told = done.stdout.splitlines()
    assert [line.split()[0] for line in told if "ZooKeeper" in line] == ["a", "b", "c"]
    assert [line.split()[1] for line in told if line.startswith("SUMMARY")] == ["a", "b", "c"]
    assert "clusters: 4, 2 at once" in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("nightly: ")]
    assert "to read every log of cluster b" in said[0] and "for cluster d" in said[1]
    warehouse = readable_warehouse(str(logs.parent / "w"))
    terms = [
        warehouse.tables(name, warehouse.published(name)).read(term.SPEC).drop(["cluster_id", "file_id"])
        for name in ("a", "c")
    ]
    assert terms[0].num_rows and terms[0] == terms[1]


def test_what_brings_much_is_left_and_nothing_of_it_is_done(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KCA_LIMITS__DRIVER_BYTES", "10")
    found = [
        done
        for _, done in run_side_by_side(
            jobs_of(logs, logs.parent / "warehouse", {})[:1], LocalProcesses(2), Progress()
        )
    ]
    assert found == [None]
    assert not list((logs.parent / "warehouse").rglob("*.parquet"))


def test_a_process_that_ends_leaves_its_cluster_and_no_other_to_another_run(logs: Path) -> None:
    """a runs beside it as it ends; c and d come behind."""
    jobs = jobs_of(logs, logs.parent / "warehouse", {"a": Done, "b": Dying, "c": Done})
    found = {job.cluster_id: done for job, done in run_side_by_side(jobs, LocalProcesses(2), Progress())}
    assert {name: None if done is None else done[0].code for name, done in found.items()} == {
        "a": 0,
        "b": None,
        "c": 0,
        "d": None,
    }
    assert found["b"] is None and found["d"] is not None and found["d"][0].nothing


def test_no_process_outlives_the_run(logs: Path) -> None:
    """The pipe that one of them holds is closed by its end alone."""
    begun, never = logs.parent / "begun", logs.parent / "never"
    os.mkfifo(begun)
    os.mkfifo(never)
    script = (
        "from argparse import Namespace\n"
        "from tests.jobs.test_fleet import *\n"
        "if __name__ == '__main__':\n"
        f"    given = Namespace(logs=[{str(begun)!r}], warehouse={str(never)!r})\n"
        "    job = Waiting('nightly', given, None, ('a',), 'a')\n"
        "    list(run_side_by_side([job], LocalProcesses(1), Progress()))\n"
    )
    main = write(logs.parent, "main.py", [script])
    started = subprocess.Popen([sys.executable, str(main)], cwd=REPOSITORY, env=without_java())
    with started, os.fdopen(os.open(begun, os.O_RDONLY | os.O_NONBLOCK)) as pipe:
        try:
            require_told(pipe)
            pid = int(pipe.readline())
        finally:
            started.kill()
        try:
            require_told(pipe)
            assert pipe.read() == ""
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def require_told(pipe: TextIO) -> None:
    """Something is written to the pipe, or the last that held it has ended."""
    assert select.select([pipe], [], [], PATIENCE_SECONDS)[0], f"nothing came in {PATIENCE_SECONDS} s"


def test_how_many_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.fleet.processors", lambda: 16)
    monkeypatch.setattr("jobs.fleet.memory_bytes", lambda: 8 << 30)
    assert (clusters_at_once(None), clusters_at_once(3)) == (5, 3)
    write(tmp_path, "cpu.max", ["150000 100000\n"])
    write(tmp_path, "memory.max", ["1073741824\n"])
    assert (memory_bytes(tmp_path), processors(tmp_path)) == (1 << 30, min(2, processors(tmp_path / "none")))
    write(tmp_path, "cpu.max", ["max 100000\n"])
    assert processors(tmp_path) == processors(tmp_path / "none") >= 1


def test_version_1_of_cgroups_is_asked_too(tmp_path: Path) -> None:
    here = processors(tmp_path / "none")
    write(tmp_path, "cpu/cpu.cfs_quota_us", ["100000\n"])
    write(tmp_path, "cpu/cpu.cfs_period_us", ["100000\n"])
    write(tmp_path, "memory/memory.limit_in_bytes", ["1073741824\n"])
    assert (memory_bytes(tmp_path), processors(tmp_path)) == (1 << 30, 1)
    write(tmp_path, "cpu/cpu.cfs_quota_us", ["-1\n"])
    write(tmp_path, "memory/memory.limit_in_bytes", ["9223372036854771712\n"])
    assert (memory_bytes(tmp_path), processors(tmp_path)) == (memory_bytes(tmp_path / "none"), here)
