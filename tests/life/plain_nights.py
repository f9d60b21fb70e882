"""Nights without Spark, each in a process that may be killed: seconds, where one with Spark takes a minute."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.errors import WarehouseDamaged
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from tests.conftest import REPOSITORY
from tests.golden import Lines, write_logs

# What is there when each night begins.
NIGHTS: tuple[Lines, ...] = (
    {"broker-1/controller.log": 6, "broker-1/state-change.log": 4},
    {"broker-1/controller.log": None, "broker-1/state-change.log": 7, "broker-3/controller.log": 2},
    {"broker-1/controller.log": None, "broker-1/state-change.log": None, "broker-3/controller.log": None},
)
NEEDS_SPARK = 75
LONGEST_SECONDS = 600


@dataclass(frozen=True)
class Night:
    """How it ended: code as of the command, negative where a signal ended it, NEEDS_SPARK; said: its sentences."""

    code: int
    said: str
    seconds: float


def deliver(logs: Path, night: int) -> None:
    """The logs as the night finds them, from 1 on; nothing of them grows any more."""
    write_logs(logs, NIGHTS[night - 1])
    for path in logs.rglob("*.log"):
        os.utime(path, (1e9, 1e9 + path.stat().st_size))


def plain_night(
    logs: Path,
    warehouse: Path,
    *,
    killed_after: float | None = None,
    settings: Mapping[str, str] | None = None,
) -> Night:
    """killed_after: seconds of its work, which begins when its modules are there. settings: of the environment."""
    with begun_night(logs, warehouse, settings) as process:
        assert process.stdout is not None
        process.stdout.readline()
        begun_at = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            process.wait(LONGEST_SECONDS if killed_after is None else killed_after)
        process.kill()
        said, _ = process.communicate()
        return Night(process.returncode, said.strip(), time.monotonic() - begun_at)


def begun_night(
    logs: Path, warehouse: Path, settings: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """It prints a line when its modules are there, and its sentences in the end."""
    given = ["--logs", str(logs), "--warehouse", str(warehouse), "--cluster", "c"]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.life.plain_night", *given],
        cwd=REPOSITORY,
        env=os.environ | {"POLARS_MAX_THREADS": "1"} | dict(settings or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def seen_run(warehouse: Path, cluster: str = "c") -> int:
    """Number of the run that readers see; 0 also where all that a first one left are folders, which readers are told."""
    files = LocalFiles()
    try:
        return DirectWarehouse(files.qualified(str(warehouse)), files).published(cluster).run_seq
    except WarehouseDamaged:
        if any(one.is_file() for one in (warehouse / cluster).glob("*/*/_delta_log/*")):
            raise
        return 0


def copied(warehouse: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    if warehouse.exists():
        shutil.copytree(warehouse, target)
    return target
