"""A nightly run over generated logs of any size: what it costs, and whether its tables say what is true."""

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from deltalake import DeltaTable

from pipeline.catalog.tables import TABLES
from tests.bench.processes import DRIVER, JVM, WORKER, Processes, watched
from tests.bench.runs import ENVIRONMENT, REPOSITORY
from tests.generated.compare import TABLES as COMPARED
from tests.generated.compare import differences, read_truth
from tests.generated.plan import Plan
from tests.generated.sizes import planned
from tests.generated.writing import LOGS, TRUTH
from tests.published import published_tables

CLUSTER = "generated"
PLAN = "plan.json"  # beside the logs, once they are whole
HEADING = (
    f"{'GB':>7}{'records':>13}{'wall s':>8}{'processor s: driver':>20}{'JVM':>7}{'workers':>9}"
    f"{'peak MB: driver':>16}{'JVM':>7}{'worker':>8}{'gold rows':>11}{'jobs':>6}  equal to truth"
)


def scale(given: argparse.Namespace) -> Iterator[str]:
    """Lines of a table, a size each."""
    yield HEADING
    for gb in given.gb:
        logs = generated(given, gb)
        yield from measured(logs, given.dir / f"warehouse-{logs.name}", is_kept=given.keep)


def generated(given: argparse.Namespace, gb: float) -> Path:
    """The folder of logs and truth: written once, then used again. An own process, so that its Spark counts nowhere."""
    sized = Plan(given.mode, given.seed, given.brokers, given.topics, given.partitions)
    plan = planned(round(gb * 1e9), sized, given.days)
    name = "-".join(
        map(str, (plan.mode, gb, f"b{plan.brokers}p{plan.partitions}s{plan.seed}d{given.days:g}"))
    )
    folder: Path = given.dir.resolve() / name
    with suppress(FileNotFoundError):
        if json.loads((folder / PLAN).read_text()) == asdict(plan):
            return folder
    shutil.rmtree(folder, ignore_errors=True)
    code = (
        "import json, sys; from tests.bench.scale import write; write(json.loads(sys.argv[1]), sys.argv[2])"
    )
    environment = ENVIRONMENT | {"PYTHONPATH": str(REPOSITORY), "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-c", code, json.dumps(asdict(plan)), str(folder)]
    wall, _, _ = watched(command, REPOSITORY, environment)
    print(f"{folder}: {size_of(folder / LOGS) / 1e6:,.0f} MB written in {wall:.0f} s", flush=True)
    return folder


def write(plan: dict[str, str | int], folder: str) -> None:
    """What that process does."""
    from pipeline.store.spark.session import get_spark  # noqa: PLC0415
    from tests.generated.writing import write_on_executors  # noqa: PLC0415

    spark = get_spark()
    write_on_executors(spark, Plan(**plan), Path(folder))  # type: ignore[arg-type]
    spark.stop()
    (Path(folder) / PLAN).write_text(json.dumps(plan))


def measured(folder: Path, warehouse: Path, *, is_kept: bool) -> Iterator[str]:
    """A line of a run into an empty warehouse, and one for each thing that its tables say otherwise."""
    shutil.rmtree(warehouse, ignore_errors=True)
    given = [
        "--logs",
        str(folder / LOGS),
        "--warehouse",
        str(warehouse),
        "--cluster",
        CLUSTER,
        "--server-log",
    ]
    with TemporaryDirectory() as events:
        # The JVM takes properties of Spark from its own: the session stays what the product makes of it.
        told = f"-Dspark.eventLog.enabled=true -Dspark.eventLog.dir=file:{events} -Dspark.eventLog.rolling.enabled=false -Dspark.eventLog.compress=false"
        environment = ENVIRONMENT | {
            "PYTHONPATH": str(REPOSITORY),
            "PYSPARK_PYTHON": sys.executable,
            "JDK_JAVA_OPTIONS": told,
        }
        wall, processes, _ = watched([sys.executable, "jobs/nightly.py", *given], REPOSITORY, environment)
        jobs = sum(
            one.read_text().count('"SparkListenerJobStart"')
            for one in Path(events).rglob("*")
            if one.is_file()
        )
    rows_of = published_tables(warehouse, CLUSTER)
    names = {one.spec.table: one.spec.name for one in TABLES}
    apart = differences({name: rows_of(names[name]) for name in COMPARED}, read_truth(folder / TRUTH))
    gold = sum(rows_in(warehouse, name) for name in names.values() if name.startswith("gold."))
    yield line(
        size_of(folder / LOGS), rows_in(warehouse, "bronze.log_record"), wall, processes, gold, jobs, apart
    )
    for name, rows in apart.items():
        yield from (f"    {name}: {row}" for row in rows[:3])
    if not is_kept:
        shutil.rmtree(warehouse)


def line(
    size: int, records: int, wall: float, found: Processes, gold: int, jobs: int, apart: dict[str, list[str]]
) -> str:
    seconds = [found.total(kind) for kind in (DRIVER, JVM, WORKER)]
    peaks = [found.peak(kind) / 1e6 for kind in (DRIVER, JVM, WORKER)]
    wrong = [name for name, rows in apart.items() if rows]
    equal = f"{len(apart) - len(wrong)} of {len(apart)}" + (f", not {', '.join(wrong)}" if wrong else "")
    return (
        f"{size / 1e9:7.2f}{records:13,}{wall:8.1f}{seconds[0]:20.1f}{seconds[1]:7.0f}{seconds[2]:9.0f}"
        f"{peaks[0]:16,.0f}{peaks[1]:7,.0f}{peaks[2]:8,.0f}{gold:11,}{jobs:6}  {equal}"
    )


def rows_in(warehouse: Path, name: str) -> int:
    """Rows of a table as it stands."""
    return int(DeltaTable(warehouse / CLUSTER / name.replace(".", "/")).count())


def size_of(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())
