"""Small clusters of a run as tasks of executors: what each gives, and what a task that dies costs."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobs.engine.intake.discovery import candidates_by_cluster
from jobs.engine.run.progress import Progress
from jobs.fleet import run_side_by_side
from jobs.fleet_on_executors import LOST_SECONDS, PROBE, ClusterTask, ExecutorTasks, TaskSite, are_same_logs
from pipeline.catalog.knowledge import knowledge_fingerprint
from pipeline.core.files import Listed, list_files
from pipeline.store.locks.lock_files import DEAD_AFTER_SECONDS
from pipeline.store.spark.late_session import as_late_session
from tests.conftest import REPOSITORY
from tests.incremental.nights import BUILT, differences
from tests.jobs.conftest import SAMPLE
from tests.jobs.fleet_logs import Dying, jobs_of, write_fleet
from tests.published import published_tables
from tests.standalone import DEADLINE, environment, standalone, submitted, zipped_wheel

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return write_fleet(tmp_path)


def files_of(logs: Path) -> dict[str, list[Listed]]:
    settings = jobs_of(logs, logs, {})[0].settings
    return {
        name: [one.listed for one in some]
        for name, some in candidates_by_cluster([str(logs)], settings, None).items()
    }


def task_of(logs: Path, warehouse: Path, name: str = "a") -> ClusterTask:
    job = next(one for one in jobs_of(logs, warehouse, {}) if one.cluster_id == name)
    probe = warehouse / PROBE
    warehouse.mkdir()
    probe.write_text("")
    return ClusterTask(job, TaskSite(str(probe), os.geteuid(), knowledge_fingerprint()), files_of(logs)[name])


@pytest.mark.spark
def test_tasks_give_what_the_driver_gives_and_none_fails_another(
    spark: "SparkSession", logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """c dies in its task, and waits behind that; paths are those of the driver's folder. Nothing else is left in the
    warehouse."""
    monkeypatch.chdir(logs.parent)
    at = Path("warehouse")
    session, files = as_late_session(spark), files_of(logs)
    other = ExecutorTasks(session, str(at), files, 4)
    other.site = replace(other.site, user_id=os.geteuid() + 1)
    assert not other.is_usable() and not list(at.iterdir())
    tasks = ExecutorTasks(session, str(at), files, 4)
    assert tasks.is_usable()
    jobs = jobs_of(Path("logs"), at, {"c": Dying})
    found = {job.cluster_id: (job, done) for job, done in run_side_by_side(jobs, tasks, Progress())}
    codes = {name: None if done is None else done[0].code for name, (_, done) in found.items()}
    assert codes == {"a": 0, "b": 7, "c": None, "d": None}
    assert found["c"][1] is None and found["c"][0].arguments.wait == LOST_SECONDS
    assert found["d"][1] is not None and found["d"][1][0].nothing
    assert found["b"][1] is not None and "It ran on " in found["b"][1][1].problems[0]
    assert sorted(one.name for one in at.iterdir()) == ["a", "b"]


def test_a_task_that_does_not_see_the_drivers_files_does_nothing(logs: Path, tmp_path: Path) -> None:
    task = task_of(logs, tmp_path / "warehouse")
    apart = {
        "warehouse": replace(task, site=replace(task.site, probe=f"{task.site.probe}.other")),
        "user": replace(task, site=replace(task.site, user_id=os.geteuid() + 1)),
        "product": replace(task, site=replace(task.site, product="other")),
        "logs": replace(task, files=[replace(one, size_bytes=one.size_bytes + 1) for one in task.files]),
    }
    assert {name: one.answer(0) for name, one in apart.items()} == dict.fromkeys(apart, b"")
    assert [one.name for one in (tmp_path / "warehouse").iterdir()] == [PROBE]


def test_logs_are_the_same_by_one_file_of_each_folder(tmp_path: Path) -> None:
    """The newest file of a folder grows meanwhile, or is renamed."""
    for name in ("x/controller.log", "x/controller.log.1", "y/controller.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    seen = sorted(list_files(str(tmp_path)), key=lambda one: one.path)
    assert are_same_logs(seen)
    (tmp_path / "x/controller.log").write_text("it has grown since")
    assert are_same_logs(seen)
    os.utime(tmp_path / "y/controller.log", (1, 1))
    assert not are_same_logs(seen)
    (tmp_path / "y/controller.log").unlink()
    assert not are_same_logs(seen)


@pytest.mark.soak
def test_a_task_that_is_tried_again_waits_for_a_machine_that_is_gone_and_breaks_no_living_lock(
    logs: Path, tmp_path: Path
) -> None:
    task = task_of(logs, tmp_path / "warehouse")
    lock = tmp_path / "warehouse/a/_lock.000001"
    lock.parent.mkdir()
    lock.write_text(json.dumps({"token": "x", "host": "lost", "home": "lost", "pid": 1}))
    beat = time.time() - DEAD_AFTER_SECONDS + 3
    os.utime(lock, (beat, beat))
    codes = [pickle.loads(task.answer(attempt))[0].code for attempt in (0, 1)]  # noqa: S301
    assert codes == [6, 0] and time.time() > beat + DEAD_AFTER_SECONDS


@pytest.mark.soak
def test_a_worker_that_is_killed_costs_a_fleet_nothing(tmp_path: Path) -> None:
    """Six clusters as the sample and one that cannot be read, on a standalone cluster; the worker is killed when it is at
    its second one. All tables are those of processes of one machine."""
    names = [f"c{number}" for number in range(6)]
    for name in names:
        shutil.copytree(next(SAMPLE.iterdir()), tmp_path / "logs" / name)
    bad = tmp_path / "logs" / "bad" / "broker-1"
    bad.mkdir(parents=True)
    (bad / "controller.log.2026-11-20-23.gz").write_bytes(b"\x1f\x8b\x08no archive")
    plain = nightly(
        [sys.executable, str(REPOSITORY / "jobs/nightly.py")], tmp_path, "plain", PYTHONPATH=str(REPOSITORY)
    )
    with standalone(tmp_path) as cluster:
        command = submitted(cluster.url, zipped_wheel(tmp_path), tmp_path)
        killed = threading.Thread(target=cluster.kill_worker_once, args=(" read: ", 2))
        killed.start()
        tasks = nightly(command, tmp_path, "tasks")
        killed.join(DEADLINE)
        assert cluster.daemons[-1].wait(30) == -signal.SIGKILL
        assert cluster.count_written(" read: ") == len(names) + 1
    # spark-submit prints both on stdout.
    assert "clusters: 7, tasks of executors" in tasks.stdout and "followed by another run" not in tasks.stdout
    assert "for cluster bad, found 1 file, none to read" in tasks.stdout
    assert (tasks.returncode, summary_of(tasks)) == (plain.returncode, summary_of(plain))
    for name in names:
        found, expected = (
            {one.spec.name: rows_of(one.spec.name) for one in BUILT}
            for rows_of in (published_tables(tmp_path / at, name) for at in ("tasks", "plain"))
        )
        assert differences(found, expected) == [], name


def nightly(
    command: list[str], folder: Path, warehouse: str, **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, "--logs", str(folder / "logs"), "--warehouse", str(folder / warehouse)],
        cwd=folder, env=environment(**more), capture_output=True, text=True, timeout=DEADLINE, check=False,
    )  # fmt: skip


def summary_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stdout.splitlines() if line.startswith("SUMMARY")]
