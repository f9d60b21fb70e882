"""A nightly run over many small clusters: one after the other with Spark, side by side in processes, and as tasks of the
executors of a standalone cluster."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.bench.processes import DRIVER, JVM, WORKER, watched
from tests.bench.runs import ENVIRONMENT, REPOSITORY
from tests.jobs.small_logs import lines_of, write
from tests.standalone import standalone

WAYS = ("processes", "executors", "in-turn")
HEADING = f"{'':26}{'wall s':>9}{'processor s: Python':>21}{'Java':>7}{'clusters':>16}"


def fleet(folder: Path, clusters: int, ways: Sequence[str] = WAYS) -> Iterator[str]:
    """Lines of a table, a way each: first runs, start of Spark included; of the standalone cluster its executors, and
    not the start of its daemons."""
    work = folder.resolve() / "fleet"
    shutil.rmtree(work, ignore_errors=True)
    for number in range(clusters):
        for node in (1, 3):
            write(work / "logs", f"c{number:03}/broker-{node}/controller.log", lines_of(node, "controller"))
        write(work / "logs", f"c{number:03}/broker-1/state-change.log", lines_of(1, "state-change"))
    yield HEADING
    if "processes" in ways:
        yield measured("two processes", work, KCA_LIMITS__CLUSTERS_AT_ONCE="2")
    if "executors" in ways:
        yield on_executors(work)
    if "in-turn" in ways:
        yield measured("one after the other", work, KCA_LIMITS__CLUSTERS_AT_ONCE="1")


def on_executors(work: Path) -> str:
    with standalone(work) as cluster:
        submitted = (
            f"--master {cluster.url} --conf spark.driver.host=127.0.0.1 --executor-memory 700m --conf "
            f"spark.executorEnv.PYTHONPATH={REPOSITORY} --conf spark.jars.packages= --jars {jars()} "
            f"--properties-file {REPOSITORY}/conf/spark-defaults.conf --load-spark-defaults pyspark-shell"
        )
        daemons = [one.pid for one in cluster.daemons]
        return measured("two executors of one core", work, daemons, PYSPARK_SUBMIT_ARGS=submitted)


def jars() -> str:
    return ",".join(sorted(str(one) for one in (REPOSITORY / "jars").glob("*.jar")))


def measured(name: str, work: Path, beside: Iterable[int] = (), **settings: str) -> str:
    warehouse = work / name.replace(" ", "-").replace(",", "")
    more = {"PYTHONPATH": str(REPOSITORY), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "jobs/nightly.py", "--logs", str(work / "logs"), "--warehouse", str(warehouse)]
    wall, found, said = watched(command, REPOSITORY, ENVIRONMENT | more | settings, beside)
    (work / f"{warehouse.name}.txt").write_text(said)
    python, java = found.total(DRIVER) + found.total(WORKER), found.total(JVM)
    published = len(list(warehouse.glob("*/ops/run/_delta_log")))
    return f"{name:26}{wall:9.1f}{python:21.1f}{java:7.1f}{published:16}"
