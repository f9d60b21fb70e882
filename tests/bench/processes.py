"""What a job and all that it starts cost: processor seconds and memory, by kind of process, as /proc tells."""

import os
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECONDS = 0.2  # between two looks
TICKS = os.sysconf("SC_CLK_TCK")
DRIVER, JVM, WORKER = "driver", "JVM", "workers"


@dataclass
class Processes:
    """By process id what was last seen of it: its kind, its processor seconds, the most memory it had, bytes. beside:
    processes that were there before, such as a cluster's daemons: what they and theirs take from then on counts, too."""

    beside: tuple[int, ...] = ()
    kinds: dict[int, str] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    peaks: dict[int, int] = field(default_factory=dict)
    before: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.look()
        self.before = dict(self.seconds)

    def look(self, root: int | None = None) -> None:
        for pid in tree(*self.beside) if root is None else tree(root, *self.beside):
            try:
                stat = Path(f"/proc/{pid}/stat").read_text()
                status = Path(f"/proc/{pid}/status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended
            name, rest = stat.partition("(")[2].rpartition(")")[::2]
            if pid == root:
                self.kinds[pid] = DRIVER
            elif name.startswith("python"):
                self.kinds[pid] = WORKER
            else:  # and what the JVM forks: until it runs a program of its own it has the JVM's memory
                self.kinds[pid] = JVM
            self.seconds[pid] = sum(map(int, rest.split()[11:13])) / TICKS
            peak = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
            self.peaks[pid] = max(self.peaks.get(pid, 0), *(int(one) * 1024 for one in peak), 0)

    def total(self, kind: str) -> float:
        return sum(
            seconds - self.before.get(pid, 0)
            for pid, seconds in self.seconds.items()
            if self.kinds[pid] == kind
        )

    def peak(self, kind: str) -> int:
        """Of the largest one."""
        return max((peak for pid, peak in self.peaks.items() if self.kinds[pid] == kind), default=0)


def tree(*roots: int) -> Iterator[int]:
    """Processes and all that come of them."""
    children = defaultdict(list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            children[int(stat.read_text().rpartition(")")[2].split()[1])].append(int(stat.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
    found = [*roots]
    for pid in found:
        yield pid
        found += children[pid]


def watched(
    command: list[str], folder: Path, environment: dict[str, str], beside: Iterable[int] = ()
) -> tuple[float, Processes, str]:
    """Runs a command to its end: seconds by the clock, its processes and those beside it, what it printed.

    RuntimeError: it failed, as it said itself.
    """
    found, is_over = Processes(tuple(beside)), threading.Event()
    began = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:

        def look() -> None:
            while not is_over.wait(SECONDS):
                found.look(process.pid)

        watcher = threading.Thread(target=look)
        watcher.start()
        said, _ = process.communicate()
        is_over.set()
        watcher.join()
    wall = time.perf_counter() - began
    if process.returncode:
        raise RuntimeError(f"exit code {process.returncode}\n{said}")
    return wall, found, said
