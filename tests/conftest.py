"""What all tests share: one small Spark session for the run, and the logs beside the checkout."""

import gc
import os
import re
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import built_once

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REPOSITORY = Path(__file__).resolve().parents[1]

# Lines as they are before they wrap, whatever terminal runs the tests; how they wrap is tested by itself.
os.environ["COLUMNS"] = "1000"
# jsonschema, which Great Expectations and notebooks load, takes it where it is there; it reads a grammar for 1 s.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # as if it were not installed
# Small frames: a kernel takes an eighth less of the processor by one thread, and each process that runs tests has a core.
os.environ.setdefault("POLARS_MAX_THREADS", "1")

# Measured on a small Delta workload: 57 to 65 s with Spark's defaults, 23 s with these.
SMALL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    # A hundred small warehouses in one session: with 10,000 tables kept a heap of 1 GB was full after ten minutes.
    "spark.databricks.delta.delta.log.cacheSize": "60",
    "spark.sql.ui.retainedExecutions": "5",
    "spark.ui.retainedJobs": "10",
    "spark.ui.retainedStages": "10",
    "spark.ui.retainedTasks": "100",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m -Xms1g",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.allFilesInCrc.enabled": "false",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
    "spark.sql.session.timeZone": "UTC",
    # As jobs have it on little data: plans are interpreted, which takes less than compiling them.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    # As conf/local.conf has it: no process for each look at a link.
    "spark.delta.logStore.file.impl": "io.delta.storage.LocalLogStore",
    "spark.sql.streaming.checkpointFileManagerClass": "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager",
}


# A process that runs tests may need so much memory. Tests wait for processes that they start, and those of Spark, which
# are one group in one process, for Java: so there is one more than processors. Two more took a tenth more of them.
PROCESS_BYTES = 3 * 2**30
MOST_PROCESSES = 4


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes `-n auto` starts."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(len(os.sched_getaffinity(0)) + 1, memory // PROCESS_BYTES, MOST_PROCESSES))


def pytest_configure(config: pytest.Config) -> None:
    built_once.begin(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    built_once.end(config)


LONGEST = REPOSITORY / "tests" / "life"
# What is dear to make once in a process: the tests that ask for it run in the same one. Of Spark's first queries most is
# what Java loads and compiles for them, 25 s of a processor a session.
SHARED_BY_ALL = ("spark", "story", "compared")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Which tests `--dist loadgroup` keeps together: those of a file, and all files that share something dear.

    First of all: xdist reads the marks in a hook of its own, and would find none. The longest begin, those of Spark
    behind them, so that no process is left with them when all others are through.
    """
    items.sort(key=lambda item: (item.path.parent != LONGEST, item.get_closest_marker("spark") is None))
    asked: dict[Path, set[str]] = {}
    for item in items:
        asked.setdefault(item.path, set()).update(getattr(item, "fixturenames", ()))
    for item in items:
        shared = [name for name in SHARED_BY_ALL if name in asked[item.path]]
        item.add_marker(pytest.mark.xdist_group(shared[0] if shared else str(item.path)))


# Expressions of Polars are many small objects, and what is collected are many more that stay: with Python's own
# threshold of 700 a seventh of a kernel's time goes into looking through them.
NEW_OBJECTS, YOUNG, OLD = 50_000, 20, 20


def pytest_collection_finish() -> None:
    """What is there when tests begin stays until they end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, YOUNG, OLD)


NO_SPARK = re.compile(r"^E +ModuleNotFoundError: .*\b(?:pyspark|py4j|delta|great_expectations)\b", re.M)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Where Spark is not installed, the files of tests that need it are skipped, and all others run."""
    report = yield
    if report.failed and NO_SPARK.search(str(report.longrepr)):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, "Skipped: needs Spark, which is not installed")
    return report


def submit_arguments(warehouse: Path) -> str:
    """Delta's jars come from jars/ where `make` put them, else as conf/spark-defaults.conf says."""
    jars = ",".join(str(jar) for jar in sorted((REPOSITORY / "jars").glob("*.jar")))
    settings = SMALL | {"spark.sql.warehouse.dir": str(warehouse)}
    if jars:
        settings |= {"spark.jars.packages": "", "spark.jars": jars}
    options = (f'--conf "{key}={value}"' for key, value in settings.items())
    return " ".join(["--master local[2]", *options, "pyspark-shell"])


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SparkSession]":
    """One session for the run: Spark and Delta as conf/ sets them, made small."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  (tests without Spark have none)

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SPARK_HOME", raising=False)
        patch.setenv("SPARK_CONF_DIR", str(REPOSITORY / "conf"))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_SUBMIT_ARGS", submit_arguments(tmp_path_factory.mktemp("spark-warehouse")))
        session = SparkSession.builder.appName("tests").getOrCreate()
        yield session
        session.stop()


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real logs with the truth beside them; not part of the repository."""
    folder = Path(os.environ.get("KCA_SHARED", REPOSITORY.parent / "shared"))
    if not (folder / "corpus").is_dir():
        pytest.skip(f"no corpus of real logs at {folder}; set KCA_SHARED to the folder that holds corpus/")
    return folder
