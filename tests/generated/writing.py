"""Logs of a generated cluster as files, hour by hour: in this process, or each hour by a task on an executor."""

import os
import pickle
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tests.generated.kraft import KRaft
from tests.generated.output import Output, Step
from tests.generated.plan import BEGIN, HOUR, Event, Plan, timetable
from tests.generated.truth import Truth
from tests.generated.zookeeper import ZooKeeper

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CLUSTERS = {"zk": ZooKeeper, "kraft": KRaft}
HELD_LINES = 50_000  # in memory, of one node
LOGS, TRUTH, BEGINS = (
    "logs",
    "truth",
    "begins",
)  # folders: what each hour begins with is gone once it is written


@dataclass(frozen=True)
class Hour:
    """An hour, from 0, and what the cluster is as it begins: all that its lines follow from, whatever was before."""

    number: int
    cluster: Any
    events: list[Event]

    def steps(self) -> Iterator[Step]:
        for event in self.events:
            yield from self.cluster.steps_of(event)


def hours_of(plan: Plan) -> Iterator[Hour]:
    """Each has to be gone through before the next one is asked for."""
    cluster = CLUSTERS[plan.mode](plan)
    for number, events in groupby(timetable(plan), key=lambda event: (event.at - BEGIN - 1) // HOUR):
        yield Hour(number, cluster, list(events))


def write_logs(plan: Plan, folder: Path) -> None:
    """All logs and their truth, in this process."""
    truth = Truth()
    for hour in hours_of(plan):
        truth = hour.cluster.truth
        write_hour(plan, hour, folder / LOGS)
    truth.write(folder / TRUTH)


def write_on_executors(spark: "SparkSession", plan: Plan, folder: Path) -> None:
    """The same: the driver simulates, and tasks write, an hour each, to a path that all see."""
    begins = folder / BEGINS
    begins.mkdir(parents=True, exist_ok=True)
    truth, count = Truth(), 0
    for hour in hours_of(plan):
        truth, hour.cluster.truth = hour.cluster.truth, Truth(plan.mode)
        (begins / f"{hour.number}").write_bytes(pickle.dumps(hour))
        hour.cluster.truth = truth
        for _ in hour.steps():
            pass
        count += 1
    truth.write(folder / TRUTH)
    numbers = spark.sparkContext.parallelize(range(count), count)
    numbers.foreachPartition(lambda hours: write_hours(plan, hours, str(folder)))
    shutil.rmtree(begins)


def write_hours(plan: Plan, numbers: Iterable[int], folder: str) -> None:
    """What a task does."""
    for number in numbers:
        hour = pickle.loads((Path(folder) / BEGINS / f"{number}").read_bytes())  # noqa: S301 (its own)
        write_hour(plan, hour, Path(folder) / LOGS)


def write_hour(plan: Plan, hour: Hour, folder: Path) -> None:
    """The files of all nodes in an hour, as log4j's DailyRollingFileAppender names them."""
    begin, end = BEGIN + hour.number * HOUR, BEGIN + (hour.number + 1) * HOUR
    suffix = (
        ""
        if hour.number == plan.hours - 1
        else datetime.fromtimestamp(begin / 1000, UTC).strftime(".%Y-%m-%d-%H")
    )
    outputs = [Output(node, hour.cluster.folder) for node in hour.cluster.nodes]
    with ExitStack() as stack:
        files: dict[Path, IO[str]] = {}
        for step in hour.steps():
            for out in outputs:
                step.write(out)
                if out.count > HELD_LINES:
                    flush(out, folder, suffix, files, stack)
        for out in outputs:
            flush(out, folder, suffix, files, stack)
    for target in files:
        os.utime(target, (end / 1000, end / 1000))


def flush(out: Output, folder: Path, suffix: str, files: dict[Path, IO[str]], stack: ExitStack) -> None:
    """The lines of a node go to its files."""
    for log, lines in out.logs.items():
        target = folder / f"{out.folder}-{out.node}" / f"{log}.log{suffix}"
        if lines and target not in files:
            target.parent.mkdir(parents=True, exist_ok=True)
            files[target] = stack.enter_context(target.open("w", encoding="utf-8"))
        if lines:
            files[target].write("".join(lines))
        lines.clear()
