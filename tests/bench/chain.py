"""The whole chain in one process without Spark, from files to every table: seconds by stage, and peak memory."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jobs.incremental.night import without_bytes
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import frame_of
from tests.bench.data import SAMPLE, copies
from tests.bench.runs import REPOSITORY, cost_of
from tests.chain import ORDER, inputs_of, with_table
from tests.lab import records

FILES, ALL = "files to records", "all stages"


@dataclass
class Stage:
    """What one stage gave and took; peak: of the process by its end, in MB."""

    name: str
    rows: int
    wall: float
    processor: float
    peak: float


def chain(folder: Path, megabytes: int) -> list[str]:
    """Lines of a table: the stages on the sample and on copies of it, each in a process of its own."""
    sets = {
        "the sample": SAMPLE,
        f"{megabytes} MB": copies(folder.resolve() / f"chain-{megabytes}", megabytes),
    }
    found = {name: measured(logs) for name, logs in sets.items()}
    sample, many = found.values()
    heading = f"{'rows':>11}{'wall s':>9}{'cpu s':>8}{'peak MB':>9}"
    return [
        f"{'':30}" + "".join(f"{name:>37}" for name in found),
        f"{'':30}{heading}{heading}",
        *(f"{one.name:30}{told(one)}{told(other)}" for one, other in zip(sample, many, strict=True)),
    ]


def measured(logs: Path) -> list[Stage]:
    command = [sys.executable, "-m", "tests.bench.chain", str(logs)]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    return [Stage(**one) for one in json.loads(done.stdout)]


def told(one: Stage) -> str:
    return f"{one.rows:11,}{one.wall:9.2f}{one.processor:8.2f}{one.peak:9.0f}"


def stages(logs: Path) -> list[Stage]:
    """All stages in this process, then the sum of them."""
    found, known = list[Stage](), dict[str, Any]()

    def stage(name: str, of: str, work: Callable[[], dict[str, Any]]) -> None:
        cost = cost_of(lambda: known.update(work()))
        found.append(Stage(name, known[of].height, cost.wall, cost.processor, peak_megabytes()))

    stage(FILES, "log_record", lambda: inputs_of(frame_of(without_bytes(records(logs)))))
    for name in ORDER:
        stage(BY_SHORT_NAME[name].spec.name, name, partial(with_table, name, known))
    rows, wall, processor = (
        sum(getattr(one, name) for one in found) for name in ("rows", "wall", "processor")
    )
    return [*found, Stage(ALL, rows, wall, processor, peak_megabytes())]


def peak_megabytes() -> float:
    """Of the memory of this program: ru_maxrss counts what its parent had, too."""
    status = Path("/proc/self/status").read_text()
    found = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(found.split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    json.dump([asdict(one) for one in stages(Path(sys.argv[1]))], sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # to free what is held takes seconds
