"""A nightly in processes of its own, one of which is killed at a moment: its driver, its Java, or a Python worker."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from tests.conftest import REPOSITORY

VICTIMS = ("driver", "java", "worker")
# What a command line of each has in it; the driver is the process that was started.
SIGNS = {"java": "SparkSubmit", "worker": "pyspark.daemon"}
# A driver that has lost its Java or its workers ends by itself long before; beside other work a night took 240 s and more.
PATIENCE_SECONDS = 900
LOOK_EACH_SECONDS = 0.05


@dataclass(frozen=True)
class Ended:
    """code: of the driver, negative where a signal ended it. killed: the victim; None: it was not there by then, or the
    run was through. killed_at: seconds of the run. seconds: the run took."""

    code: int
    killed: str | None
    killed_at: float
    seconds: float
    said: str


def nightly(logs: Path, warehouse: Path, victim: str | None = None, after_seconds: float = 0.0) -> Ended:
    """Runs it to its end. victim: of VICTIMS, killed once it lives and the run has taken so many seconds."""
    arguments = ["--logs", str(logs), "--warehouse", str(warehouse), "--cluster", "c"]
    begun_at, killed, killed_at = time.monotonic(), None, 0.0
    with started("nightly", *arguments, "--placement", "executors") as run:
        while victim is not None and killed is None:
            with suppress(subprocess.TimeoutExpired):
                run.wait(LOOK_EACH_SECONDS)
                break
            killed_at = time.monotonic() - begun_at
            if killed_at >= after_seconds and kill(run.pid, victim):
                killed = victim
        said, _ = run.communicate(timeout=PATIENCE_SECONDS)
        seconds = time.monotonic() - begun_at
        end_all_of(run.pid)
    return Ended(run.returncode, killed, killed_at, seconds, said)


def started(command: str, *arguments: str) -> subprocess.Popen[str]:
    """A command in a session of its own; both of its outputs are one."""
    return subprocess.Popen(
        [sys.executable, "-m", "jobs", command, *arguments],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def kill(driver: int, victim: str) -> bool:
    """Whether there was such a process of the run."""
    if victim == "driver":
        os.kill(driver, signal.SIGKILL)
        return True
    found = [pid for pid, command in members(driver) if SIGNS[victim] in command]
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return bool(found)


def members(session: int) -> Iterator[tuple[int, str]]:
    """Processes of a session, with their command lines."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with suppress(OSError):
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(stat[3]) == session:
                yield int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()


def end_all_of(session: int) -> None:
    """A Java process whose driver is gone ends by itself some time later; the next run begins without it here as on a
    machine that was started anew."""
    for pid, _ in members(session):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def run_seq(warehouse: Path) -> int:
    """Number of the run that readers see."""
    files = LocalFiles()
    return DirectWarehouse(files.qualified(str(warehouse)), files).published("c").run_seq
