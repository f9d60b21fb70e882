"""One run at a time: a living owner is respected or waited for, a dead one followed by exactly one."""

import json
import math
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipeline.core.errors import Locked
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.locks import lock as lock_module
from pipeline.store.locks.lock import ClusterLock, cluster_lock
from pipeline.store.locks.lock_files import DEAD_AFTER_SECONDS, process_home

TAKERS, ROUNDS = 8, 10


def held(folder: Path, pid: int, where: str, age_seconds: float = 0, name: str = "_lock.000007") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps({"host": "h", "home": where, "pid": pid}))
    beat = time.time() - age_seconds
    os.utime(folder / name, (beat, beat))


def gone() -> int:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def test_a_lock_is_released_and_its_empty_folder_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with cluster_lock(LocalFiles(), str(folder)) as lock:
        assert json.loads((folder / "_lock.000001").read_text())["token"] == lock.token
        lock.require_mine()
    assert not folder.exists()


def test_a_number_is_not_used_again_where_there_are_tables(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    for number in (1, 2, 3):
        with cluster_lock(LocalFiles(), str(tmp_path)) as lock:
            assert lock.number == number
        assert sorted(path.name for path in tmp_path.iterdir()) == [f"_lock.{number:06d}", "ops"]


@pytest.mark.parametrize("wait_seconds", [0, 0.3])
def test_a_living_owner_is_named(tmp_path: Path, wait_seconds: float) -> None:
    held(tmp_path / "c", os.getpid(), process_home())
    began = time.monotonic()
    with (
        pytest.raises(Locked, match=rf"a run at work on h \(process {os.getpid()}\)"),
        cluster_lock(LocalFiles(), str(tmp_path / "c"), wait_seconds),
    ):
        pass
    assert time.monotonic() - began >= wait_seconds


def test_an_owner_that_ends_is_waited_for(tmp_path: Path) -> None:
    files, entered = LocalFiles(), threading.Event()

    def second() -> int:
        entered.set()
        with cluster_lock(files, str(tmp_path), math.inf) as lock:
            return lock.number

    with ThreadPoolExecutor(1) as pool:
        with cluster_lock(files, str(tmp_path)):
            (tmp_path / "ops").mkdir()
            waiting = pool.submit(second)
            assert entered.wait(10)
            assert not waiting.done()
        assert waiting.result(30) == 2


@pytest.mark.parametrize(
    ("pid", "where", "age"),
    [
        (None, process_home(), 0),
        (1, "another-host", DEAD_AFTER_SECONDS + 1),
        (os.getpid(), process_home(), DEAD_AFTER_SECONDS + 1),
    ],
    ids=["process is gone", "no heart-beat", "stands still"],
)
@pytest.mark.parametrize("name", ["_lock", "_lock.000007"])
def test_a_dead_owner_is_followed(tmp_path: Path, pid: int | None, where: str, age: float, name: str) -> None:
    """pid: None, of a process that is gone now: its number may be another one's some minutes later."""
    held(tmp_path / "c", gone() if pid is None else pid, where, age, name)
    with cluster_lock(LocalFiles(), str(tmp_path / "c")) as lock:
        assert [path.name for path in (tmp_path / "c").iterdir()] == [f"_lock.{lock.number:06d}"]


@pytest.mark.parametrize(
    "said", ["[]", "7", "null", "", "{", '"x"', "[" * 200_000, '{"pid": "x"}', '{"pid": 1e300}']
)
@pytest.mark.parametrize("age_seconds", [-3600, 3600])
def test_what_is_no_lock_of_ours_blocks_no_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, age_seconds: float
) -> None:
    """Nor does one that is dated in the future, whose writer would have dated it now by its next heart-beat."""
    monkeypatch.setattr(lock_module, "READ_PAUSE_SECONDS", 0)
    held(tmp_path / "c", 1, "elsewhere")
    (tmp_path / "c" / "_lock.000007").write_text(said)
    beat = time.time() - age_seconds
    os.utime(tmp_path / "c" / "_lock.000007", (beat, beat))
    with cluster_lock(LocalFiles(), str(tmp_path / "c")) as lock:
        assert lock.number == 8


def test_what_is_no_lock_of_ours_is_respected_while_it_is_new(tmp_path: Path) -> None:
    held(tmp_path / "c", 1, "elsewhere")
    (tmp_path / "c" / "_lock.000007").write_text("[]")
    with (
        pytest.raises(Locked, match="a run at work on another host"),
        cluster_lock(LocalFiles(), str(tmp_path / "c")),
    ):
        pass


def test_a_process_of_another_machine_is_not_looked_for_here(tmp_path: Path) -> None:
    held(tmp_path / "c", gone(), "another-host")
    assert ClusterLock(LocalFiles(), str(tmp_path / "c")).take() is not None


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_of_several_that_follow_a_dead_run_one_passes(tmp_path: Path, round_: int) -> None:
    held(tmp_path, gone(), process_home())
    locks = [ClusterLock(LocalFiles(), str(tmp_path)) for _ in range(TAKERS)]
    barrier = threading.Barrier(TAKERS)

    def take(lock: ClusterLock) -> bool:
        barrier.wait()
        return lock.take() is None

    with ThreadPoolExecutor(TAKERS) as pool:
        taken = list(pool.map(take, locks))
    assert taken.count(True) == 1, taken
    assert [lock.is_mine() for lock in locks] == taken


def test_who_looked_too_early_gives_way(tmp_path: Path) -> None:
    """Slow sees a dead run; before it acts, one run follows and ends, and another begins."""
    held(tmp_path, gone(), process_home())
    (tmp_path / "ops").mkdir()
    slow, later = (ClusterLock(LocalFiles(), str(tmp_path)) for _ in range(2))
    with cluster_lock(LocalFiles(), str(tmp_path)) as first:
        assert first.number == 8
    assert later.take() is None
    assert slow.claim(8) is not None
    assert later.is_mine() and not slow.is_mine()
    assert [path.name for path in tmp_path.glob("_lock*")] == ["_lock.000009"]


def test_a_run_that_was_taken_over_knows_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    with cluster_lock(LocalFiles(), str(tmp_path)) as sleeper:
        old = time.time() - DEAD_AFTER_SECONDS - 1
        os.utime(tmp_path / "_lock.000001", (old, old))
        successor = ClusterLock(LocalFiles(), str(tmp_path))
        assert successor.take() is None
        with pytest.raises(Locked, match="another run took it over"):
            sleeper.require_mine()
    assert successor.is_mine()
