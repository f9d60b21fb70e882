"""Whether the memory of this machine, or of the container that this process is in, lasts for what is held in it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from jobs.text import human_bytes
from pipeline.core.errors import InputProblem

MACHINE = Path("/proc/meminfo")
CONTAINER = Path("/sys/fs/cgroup")
# Where version 2 and version 1, of hosts such as RHEL 8, tell the limit, what is used, and what of it is only cached.
BY_VERSION = (
    ("", "max", "current", "inactive_file"),
    ("memory", "limit_in_bytes", "usage_in_bytes", "total_inactive_file"),
)
# Less than this share of all, or than so many bytes, is too little to go on: one more table may take it.
LEAST_SHARE = 0.05
LEAST_BYTES = 256 << 20
# Between two looks this share of what is held may come in addition: 3.0 GB of 1 GB of log became 4.2 GB in two seconds.
MORE_SHARE = 0.5
OWN = Path("/proc/self/status")


@dataclass(frozen=True)
class Memory:
    """Bytes that can be had still, without swapping, of so many. held: by this process already."""

    free: int
    total: int
    held: int = 0

    @property
    def is_short(self) -> bool:
        least = min(max(LEAST_BYTES, self.total * LEAST_SHARE), self.total // 4)
        return self.free < max(least, self.held * MORE_SHARE)


def scarcest_memory(machine: Path = MACHINE, container: Path = CONTAINER, own: Path = OWN) -> Memory | None:
    """The scarcer of the machine's and the container's (cgroup v2 or v1); None where neither is told, as on macOS."""
    told = [one for one in (of_machine(machine), of_container(container)) if one is not None]
    found = min(told, key=lambda one: one.free, default=None)
    return None if found is None else replace(found, held=kibibytes_in(own).get("VmRSS", 0) << 10)


def of_machine(path: Path) -> Memory | None:
    kibibytes = kibibytes_in(path)
    if not {"MemAvailable", "MemTotal"} <= kibibytes.keys():
        return None
    return Memory(kibibytes["MemAvailable"] << 10, kibibytes["MemTotal"] << 10)


def of_container(folder: Path) -> Memory | None:
    """What files only have in the cache is free, as the kernel takes it back."""
    for place, limit_of, used_of, cache in BY_VERSION:
        limit, used = (number_in(folder / place / f"memory.{name}") for name in (limit_of, used_of))
        if limit is not None and used is not None:
            cached = statistics_in(folder / place / "memory.stat").get(cache, 0)
            return Memory(max(limit - used + cached, 0), limit)
    return None


def kibibytes_in(path: Path) -> Mapping[str, int]:
    """The numbers of a file of /proc by name."""
    lines = (line.split() for line in path.read_text().splitlines()) if path.is_file() else ()
    return {line[0].rstrip(":"): int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}


def number_in(path: Path) -> int | None:
    """None: no such file, or `max`."""
    text = path.read_text().strip() if path.is_file() else ""
    return int(text) if text.isdigit() else None


def statistics_in(path: Path) -> Mapping[str, int]:
    lines = (line.split() for line in path.read_text().splitlines()) if path.is_file() else ()
    return {name: int(number) for name, number in lines}


def require_memory(found: Memory | None) -> None:
    """InputProblem: so little is left that the machine would swap, or the container be killed."""
    if found is not None and found.is_short:
        raise InputProblem(
            expected="memory for these logs, of which `incident` holds everything",
            found=f"{human_bytes(found.free)} of {human_bytes(found.total)} left, {human_bytes(found.held)} held",
            todo="name fewer files, or let the nightly job read them: it holds one night, not all",
        )
