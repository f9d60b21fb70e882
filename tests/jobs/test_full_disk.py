"""A disk that fills during a run: what was published stays readable, and the next run with room is as if none had failed."""

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import cli
from jobs.engine.run.progress import Progress
from pipeline.store.locks.lock import ClusterLock
from pipeline.store.tables.local_commit import ROOM_BYTES
from tests.conftest import REPOSITORY
from tests.jobs.small_logs import COMPARED, contents, run
from tests.small_disk import SmallDisk, leave, small_disk, used
from tests.tuning import tuning_kept

pytestmark = [pytest.mark.spark, pytest.mark.soak]
SAMPLE = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2"
ROOMY = "512m"
TENTHS = 10
# When the disk is full but for so many bytes: where a run says that it begins a part, and before it publishes.
PUBLISH = "publish"
AT = (
    ("files", 0),
    ("read", 0),
    ("build", 0),
    ("build", 256 << 10),
    ("gate", 0),
    (PUBLISH, 0),
    (PUBLISH, ROOM_BYTES // 2),
)
FULL = 3


def logs_of(folder: Path, pattern: str) -> Path:
    for path in SAMPLE.rglob(pattern):
        target = folder / path.relative_to(SAMPLE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return folder


def full_at(disk: SmallDisk, stage: str, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From that part of a run on no more than so many bytes are free."""
    say, require_mine = Progress.stage, ClusterLock.require_mine

    def said(progress: Progress, name: str, counts: str) -> None:
        say(progress, name, counts)
        if name == stage:
            leave(disk, room)

    def required(lock: ClusterLock) -> None:
        require_mine(lock)
        if stage == PUBLISH:
            leave(disk, room)

    monkeypatch.setattr(Progress, "stage", said)
    monkeypatch.setattr(ClusterLock, "require_mine", required)


def require_full(code: int, said: list[str]) -> None:
    assert code == FULL
    assert "No space left on device" in said[-1] and "nothing of c is published" in said[-1]


@pytest.mark.parametrize("night", [1, 2])
def test_a_disk_that_fills_at_each_tenth(
    spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str], night: int
) -> None:
    """Of the room that the night takes where there is enough. Each run begins with what the one before it left."""
    with small_disk(tmp_path / "disk", ROOMY) as disk, tuning_kept(spark):
        warehouse, whole = disk.folder / "w", disk.folder / "whole"
        logs = logs_of(tmp_path / "logs", "*.gz")
        published: dict[str, list[str]] = {}
        if night > 1:
            assert run(logs, warehouse) == 0
            shutil.copytree(warehouse, whole)
            published = contents(warehouse, COMPARED)
            logs_of(logs, "*.log")
        before = used(disk)
        assert run(logs, whole) == 0
        taken, expected = used(disk) - before, contents(whole, COMPARED)
        shutil.rmtree(whole)
        for tenth in range(TENTHS):
            leave(disk, taken * tenth // TENTHS)
            capfd.readouterr()
            code, said = run(logs, warehouse), capfd.readouterr().err.splitlines()
            with capfd.disabled():
                print(f"\nnight {night}, {tenth} tenths of {taken:,} bytes: {code} {said[-1][:100]}")
            require_full(code, said)
            assert not published or contents(warehouse, COMPARED) == published
            disk.resize(ROOMY)
        assert run(logs, warehouse) == 0
        assert contents(warehouse, COMPARED) == expected


def test_a_disk_that_fills_at_any_stage(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with small_disk(tmp_path / "disk", ROOMY) as disk, tuning_kept(spark):
        warehouse, whole = disk.folder / "w", disk.folder / "whole"
        logs = logs_of(tmp_path / "logs", "*.gz")
        assert run(logs, warehouse) == 0
        shutil.copytree(warehouse, whole)
        published = contents(warehouse, COMPARED)
        logs_of(logs, "*.log")
        assert run(logs, whole) == 0
        expected = contents(whole, COMPARED)
        shutil.rmtree(whole)

        def fails(what: str) -> None:
            capfd.readouterr()
            code, said = run(logs, warehouse), capfd.readouterr().err.splitlines()
            with capfd.disabled():
                print(f"\n{what}: {code} {said[-1][:100]}")
            require_full(code, said)
            assert contents(warehouse, COMPARED) == published
            disk.resize(ROOMY)
            assert cli.main(["terms", "--warehouse", str(warehouse)]) == 0

        for stage, room in AT:
            with monkeypatch.context() as patch:
                full_at(disk, stage, room, patch)
                fails(f"{room:,} bytes at {stage}")
        assert run(logs, warehouse) == 0
        assert contents(warehouse, COMPARED) == expected
