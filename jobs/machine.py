"""What this process may take of its machine: processors and memory, as the system and its container say."""

import math
import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")  # as a container sees its own
NO_LIMIT = "max"
# Version 1, of hosts such as RHEL 8, says so of processors; of memory it states a number beyond any machine's.
NO_QUOTA = "-1"


def processors(cgroup: Path = CGROUP) -> int:
    """At least one."""
    affinity = getattr(os, "sched_getaffinity", None)
    here = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    quota, _, period = limit_text(cgroup / "cpu.max").partition(" ")
    if quota == NO_LIMIT:
        quota, period = (limit_text(cgroup / "cpu" / f"cpu.cfs_{one}_us") for one in ("quota", "period"))
    return here if quota in (NO_LIMIT, NO_QUOTA) else max(1, min(here, math.ceil(int(quota) / int(period))))


def memory_bytes(cgroup: Path = CGROUP) -> int:
    """Of the machine, or of the container where that is less."""
    here = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = limit_text(cgroup / "memory.max")
    if limit == NO_LIMIT:
        limit = limit_text(cgroup / "memory" / "memory.limit_in_bytes")
    return here if limit == NO_LIMIT else min(here, int(limit))


def limit_text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip() or NO_LIMIT
    except OSError:
        return NO_LIMIT
