"""What work costs: runs of a job, each in a process of its own, and calls in this one."""

import ctypes
import gc
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
# As a scheduler would start a job: before a session of this process sets anything of Spark.
ENVIRONMENT = dict(os.environ)


@dataclass(frozen=True)
class Cost:
    """In seconds: by the clock, and of processors, of a run those of its JVM and of Python workers included."""

    wall: float
    processor: float


@dataclass(frozen=True)
class Site:
    """Logs, the warehouse that a job reads them into, and the checkout whose code does it."""

    logs: Path
    warehouse: Path
    job: str
    code: Path = REPOSITORY

    def run(self) -> Cost:
        """A process of its own, start of Spark included, as a scheduler starts it."""
        given = ["--logs", str(self.logs), "--warehouse", str(self.warehouse), "--cluster", "c"]
        return cost([sys.executable, f"jobs/{self.job}.py", *given], self.code)


def cost(command: list[str], folder: Path) -> Cost:
    """Of a command that runs in the checkout in this folder and imports its code.

    RuntimeError: it failed, as it said itself.
    """
    # What it leaves running (its JVM, for a moment) becomes a child of this process, and so is waited for and counted.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    environment = ENVIRONMENT | {"PYTHONPATH": str(folder), "PYSPARK_PYTHON": sys.executable}
    own = children()
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    while left := children() - own:
        os.waitpid(min(left), 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def cost_of(work: Callable[[], object]) -> Cost:
    """Of a call in this process."""
    gc.collect()
    began, began_processor = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - began, time.process_time() - began_processor)


def median(costs: Sequence[Cost]) -> Cost:
    walls, processors = [one.wall for one in costs], [one.processor for one in costs]
    return Cost(statistics.median(walls), statistics.median(processors))


def children() -> set[int]:
    """Processes of this one; the JVM of a session of its own is among them."""
    lists = (one.read_text().split() for one in Path("/proc/self/task").glob("*/children"))
    return {int(number) for numbers in lists for number in numbers}
