"""Whether a night costs what it brings: the same logs on one day after another, read night after night."""

import os
import shutil
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from tests.bench.data import FIRST_DAY, SAMPLE, logs, renamed

ROLLED_SECONDS_AGO = 7200  # nothing of a file that rolled is held back
SHOWN = (1, 2, 3, 5, 10, 20, 50)
REPOSITORY = Path(__file__).resolve().parents[2]


def nights(folder: Path, count: int, job: str, at_once: int) -> list[str]:
    """Lines of a table: seconds of chosen nights, as ratio to the first; a run with nothing new at the end.

    Each run is a process of its own, start of Spark included, as a scheduler starts it.
    at_once: so many of the nights after the second are read in one run, to come to a long history sooner.
    """
    found, warehouse = folder.resolve() / "nights", folder.resolve() / "nights-warehouse"
    for old in (found, warehouse):
        shutil.rmtree(old, ignore_errors=True)
    command = [sys.executable, f"jobs/{job}.py", "--logs", str(found), "--warehouse", str(warehouse)]
    taken: dict[int, float] = {}
    size = 0
    for night in (*range(2), *range(2 + at_once, count)):
        if night == 2 + at_once and at_once:
            for each in range(2, night):
                add_night(found, each)
            timed(command)
        size = add_night(found, night)
        taken[night + 1] = timed(command)
    nothing_new = timed(command)
    shown = [one for one in taken if one in SHOWN or one >= count - 1]
    lines = [f"night {one:>4} {taken[one]:>8.1f} s {taken[one] / taken[1]:>6.2f} x night 1" for one in shown]
    return [f"a night brings {size / 1e6:.1f} MB", *lines, f"nothing new {nothing_new:>5.1f} s"]


def timed(command: list[str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        [*command, "--cluster", "c"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return time.perf_counter() - began


def add_night(folder: Path, night: int) -> int:
    """One more day of the sample, in rolled files of its own; their bytes."""
    size = 0
    for path, _ in logs(SAMPLE):
        day = FIRST_DAY + timedelta(days=night)
        target = folder / path.parent.name / f"{path.name}.{day}-23"
        target.parent.mkdir(parents=True, exist_ok=True)
        size += target.write_bytes(renamed(path.read_bytes(), (), night))
        ended = time.time() - ROLLED_SECONDS_AGO
        os.utime(target, (ended, ended))
    return size
