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

import polars as pl
from polars import col

from jobs.engine.incremental.night import without_bytes
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import frame_of
from tests.bench.data import SAMPLE, copies
from tests.bench.runs import REPOSITORY, cost_of
from tests.chain import ORDER, inputs_of, with_table
from tests.lab import records

FILES, ALL = "files to records", "all stages"
HOT = "hot"


@dataclass
class Stage:
    """What one stage gave and took; peak: of the process by its end, in MB."""

    name: str
    rows: int
    wall: float
    processor: float
    peak: float


def chain(folder: Path, megabytes: int) -> list[str]:
    """Lines of a table: the stages on the sample, on copies of it, and on these with a hot partition, each in a process
    of its own."""
    many = copies(folder.resolve() / f"chain-{megabytes}", megabytes)
    found = {
        "the sample": measured(SAMPLE),
        f"{megabytes} MB": measured(many),
        f"{megabytes} MB, 90 % of one partition": measured(many, HOT),
    }
    heading = f"{'rows':>11}{'wall s':>9}{'cpu s':>8}{'peak MB':>9}"
    return [
        f"{'':30}" + "".join(f"{name:>37}" for name in found),
        f"{'':30}{heading * len(found)}",
        *(f"{some[0].name:30}{''.join(map(told, some))}" for some in zip(*found.values(), strict=True)),
    ]


def measured(logs: Path, *how: str) -> list[Stage]:
    command = [sys.executable, "-m", "tests.bench.chain", str(logs), *how]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    return [Stage(**one) for one in json.loads(done.stdout)]


def told(one: Stage) -> str:
    return f"{one.rows:11,}{one.wall:9.2f}{one.processor:8.2f}{one.peak:9.0f}"


def with_hot_partition(records: pl.DataFrame) -> pl.DataFrame:
    """Nine of ten records that name a partition name the same one."""
    is_hot = col("partition").is_not_null() & (pl.int_range(pl.len()) % 10 != 0)
    topic, partition = (pl.when(is_hot).then(one) for one in (pl.lit("hot"), pl.lit(0, pl.Int32)))
    return records.with_columns(topic=topic.otherwise("topic"), partition=partition.otherwise("partition"))


def stages(logs: Path, *, is_hot: bool) -> list[Stage]:
    """All stages in this process, then the sum of them."""
    shaped = with_hot_partition if is_hot else pl.DataFrame.clone
    found, known = list[Stage](), dict[str, Any]()

    def stage(name: str, of: str, work: Callable[[], dict[str, Any]]) -> None:
        cost = cost_of(lambda: known.update(work()))
        found.append(Stage(name, known[of].height, cost.wall, cost.processor, peak_megabytes()))

    stage(FILES, "log_record", lambda: inputs_of(shaped(frame_of(without_bytes(records(logs))))))
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
    json.dump([asdict(one) for one in stages(Path(sys.argv[1]), is_hot=HOT in sys.argv[2:])], sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # to free what is held takes seconds
