"""kill -9 of a process that runs one of two clusters side by side, at any time of it: the other cluster is not held up,
and the run that follows makes all of the first good."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from tests.conftest import REPOSITORY
from tests.jobs.small_logs import COMPARED, contents
from tests.life.plain_fleet import CLUSTERS
from tests.life.plain_nights import copied, deliver, seen_run
from tests.life.processes import LOOK_EACH_SECONDS, end_all_of, members

# Of each night; KILLS=34 in the environment for a hundred in half an hour.
KILLS = int(os.environ.get("KILLS", "2"))
LONGEST_SECONDS = 600
WORKER = "spawn_main"


def side_by_side(
    logs: Path, warehouse: Path, killed_after: float = 0.0, victim: int | None = None
) -> tuple[dict[str, str], float]:
    """What each cluster ended with, and the seconds that its processes took. victim: which of the processes is killed so many
    seconds after both are there; None: neither."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.life.plain_fleet", "--logs", str(logs), "--warehouse", str(warehouse)],
        cwd=REPOSITORY,
        env=os.environ | {"POLARS_MAX_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as run:
        while len(list(workers(run.pid))) < len(CLUSTERS):
            with suppress(subprocess.TimeoutExpired):
                run.wait(LOOK_EACH_SECONDS)
        begun_at, found = time.monotonic(), list(workers(run.pid))
        if victim is not None:
            with suppress(subprocess.TimeoutExpired):
                run.wait(killed_after)
            with suppress(ProcessLookupError):
                os.kill(found[victim], signal.SIGKILL)
        said, _ = run.communicate(timeout=LONGEST_SECONDS)
        seconds = time.monotonic() - begun_at
        end_all_of(run.pid)
    assert run.returncode == 0
    return dict(line.split() for line in said.splitlines()), seconds


def workers(session: int) -> Iterator[int]:
    return (pid for pid, command in members(session) if WORKER in command)


def all_contents(warehouse: Path) -> dict[str, dict[str, list[str]]]:
    return {name: contents(warehouse, COMPARED, name) for name in CLUSTERS}


@pytest.mark.soak
@pytest.mark.parametrize("night", [1, 2, 3])
def test_a_cluster_survives_its_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], night: int
) -> None:
    logs, warehouse, twin, begun = (tmp_path / name for name in ("logs", "warehouse", "twin", "begun"))
    whole = dict.fromkeys(CLUSTERS, "0")
    for before in range(1, night):
        deliver_all(logs, before)
        assert side_by_side(logs, warehouse)[0] == whole
    deliver_all(logs, night)
    copied(warehouse, begun)
    copied(warehouse, twin)
    ended, longest = side_by_side(logs, twin)
    assert ended == whole
    expected, random = all_contents(twin), Random(night)  # noqa: S311  (moments, no secret)
    for at in range(1, KILLS + 1):
        moment, victim = random.uniform(0, longest), random.randrange(len(CLUSTERS))
        ended, _ = side_by_side(logs, warehouse, moment, victim)
        seen = {name: seen_run(warehouse, name) for name in CLUSTERS}
        with capsys.disabled():
            print(f"\nnight {night}, {at}: {moment:.2f} s, process {victim}: {ended}, runs {seen}")
        assert list(ended.values()).count("none") <= 1 and set(ended.values()) <= {"0", "none"}
        assert all(seen[name] == night for name, code in ended.items() if code == "0")
        assert set(seen.values()) <= {night - 1, night}
        assert side_by_side(logs, warehouse)[0] == whole
        assert all_contents(warehouse) == expected
        copied(begun, warehouse)


def deliver_all(logs: Path, night: int) -> None:
    for name in CLUSTERS:
        deliver(logs / name, night)
