"""The Spark session of a job: taken as it is found, never configured behind the user's back."""

import os
import shlex
import sys
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from pipeline.core.errors import EnvironmentProblem
from pipeline.store.spark.gateway import start_gateway
from pipeline.store.spark.java import check_java
from pipeline.store.spark.late_session import LateSession
from pipeline.store.spark.spark_configuration import SKIPPED_BY, is_configured, shipped_configuration

APP_NAME = "kafka-controller-audit"
SMALL_BYTES, FEW_BYTES = 64 << 20, 8 << 20
# Key: value for little to read, value otherwise.
SMALL: dict[str, tuple[str, str]] = {
    "spark.sql.adaptive.enabled": ("false", "true"),
    "spark.sql.codegen.wholeStage": ("false", "true"),
    "spark.sql.codegen.factoryMode": ("NO_CODEGEN", "FALLBACK"),
    "spark.sql.shuffle.partitions": ("2", "4"),
}
# What a night of one small cluster brings: each task reads its part of the plan anew, and that is most of its work.
FEW: dict[str, str] = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.files.minPartitionNum": "1",
}
# The same as SMALL for tables that hold little.
SMALL_TABLES: dict[str, tuple[str, str]] = {
    "spark.databricks.delta.stats.skipping": ("false", "true"),
}
TUNED = (*SMALL, *SMALL_TABLES, *FEW)
# Columns whose values hardly repeat: there a dictionary costs more than they do.
WITHOUT_DICTIONARY = (
    *("byte_offset", "byte_length", "logged_at", "logged_local", "ordered_at", "first_at", "last_at"),
    "evidence.list.element.byte_offset",
)
OF_COLUMN_STATISTICS = "parquet.column.statistics.enabled"
# Pages of 8 MB let Zstandard see more at once; times as numbers are shorter than the twelve bytes of INT96, and have
# bounds. What no table is searched by needs neither bounds in footers nor indexes of pages.
STORED = (
    {
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "parquet.page.size": str(8 << 20),
        "parquet.page.row.count.limit": "1000000",
        "parquet.size.statistics.enabled": "false",
        OF_COLUMN_STATISTICS: "false",
    }
    | {f"{OF_COLUMN_STATISTICS}#{column}": "true" for column in SKIPPED_BY}
    | {f"parquet.enable.dictionary#{column}": "false" for column in WITHOUT_DICTIONARY}
)
ZSTD_LEVEL = "parquet.compression.codec.zstd.level"
OF_SQL, OF_DELTA = "spark.sql.", "spark.databricks.delta."
DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def get_spark() -> SparkSession:
    """The running session, else a new one by the Spark configuration in force.

    Neither master nor jars are set here: they come from spark-submit, SPARK_CONF_DIR or the site.
    Only a plain Python process without any Spark configuration of its own is pointed to the
    defaults that this product ships. EnvironmentProblem: no usable Java, Spark or Delta.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if SparkSession.getActiveSession() is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        check_java()
        use_shipped_configuration()
    # What runs is told by the jobs: a plain Python process counts as a shell to Spark, which draws bars there.
    builder = SparkSession.builder.appName(APP_NAME).config("spark.ui.showConsoleProgress", "false")
    try:
        start_gateway()
        spark = builder.getOrCreate()
    except PySparkRuntimeError as error:
        if error.getCondition() != "JAVA_GATEWAY_EXITED":
            raise
        raise EnvironmentProblem(
            expected="Spark to start",
            found="its Java process ended at once (its own words stand above; UNRESOLVED DEPENDENCIES there "
            "means that Delta's jars could not be fetched)",
            todo="connect to the network once and run 'make jars', or set DEFAULT_ARTIFACT_REPOSITORY to your mirror",
        ) from error
    except Py4JError as error:
        raise EnvironmentProblem(
            expected="Spark to start", found=str(error).splitlines()[0], todo="look at the lines above"
        ) from error
    require_delta(spark)
    tune_local(spark)
    return spark


def late_spark() -> LateSession:
    """The same when something first needs it; at once where somebody configured Spark or Hadoop, or started it."""
    session = LateSession(get_spark, is_plain=not is_configured())
    if not session.is_plain:
        session.get()
    return session


def use_shipped_configuration() -> None:
    """Points a plain Python process to conf/ of the checkout, or to the packaged copy of it."""
    if "SPARK_CONF_DIR" in os.environ or "SPARK_HOME" in os.environ:
        return
    conf = shipped_configuration()
    os.environ["SPARK_CONF_DIR"] = str(conf)
    jars = sorted(str(jar) for jar in (Path(str(conf)).parent / "jars").glob("*.jar"))
    if jars and "PYSPARK_SUBMIT_ARGS" not in os.environ:
        # Jars that `make` fetched: no start of Spark asks the network, or prints what it resolved.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ["PYSPARK_SUBMIT_ARGS"] = (
            f"--properties-file {shlex.quote(str(conf / 'local.conf'))} --load-spark-defaults "
            f"--conf spark.jars.packages= --jars {shlex.quote(','.join(jars))} pyspark-shell"
        )


def require_delta(spark: SparkSession) -> None:
    """Delta's catalog must be configured, else the first write fails with a riddle."""
    found = spark.conf.get("spark.sql.catalog.spark_catalog", "")
    if found != DELTA_CATALOG:
        raise EnvironmentProblem(
            expected=f"spark.sql.catalog.spark_catalog = {DELTA_CATALOG} (Delta Lake)",
            found=f"'{found}'" if found else "no such setting",
            todo="submit with SPARK_CONF_DIR=conf, or --properties-file conf/spark-defaults.conf --load-spark-defaults",
        )


def tune_local(spark: SparkSession) -> None:
    """Small parallelism on a local master (the shipped local.conf), unless the user set it."""
    if not (spark.conf.get("spark.master", "") or "").startswith("local"):
        return
    for line in (shipped_configuration() / "local.conf").read_text().splitlines():
        key, _, value = line.strip().partition(" ")
        # Spark does not know Delta's settings before Delta is used.
        is_ours = key.startswith(OF_DELTA) or (key.startswith(OF_SQL) and spark.conf.isModifiable(key))
        if is_ours and spark.conf.get(key, None) in (None, default_of(key)):
            spark.conf.set(key, value.strip())


def tune_for_size(spark: SparkSession, read_bytes: int, stored_bytes: int) -> None:
    """On a local master with little to read, plans are interpreted: compiling them takes longer than running them.

    Measured on the sample (6 MB): 12 s of 60 s. Tables of few bytes are read whole, whatever their statistics say.
    Both in bytes of log. Settings of the user are left alone.
    """
    if not (spark.conf.get("spark.master", "") or "").startswith("local"):
        return
    wanted = {key: pair[read_bytes >= SMALL_BYTES] for key, pair in SMALL.items()}
    wanted |= {key: pair[stored_bytes >= SMALL_BYTES] for key, pair in SMALL_TABLES.items()}
    wanted |= FEW if read_bytes < FEW_BYTES else {}
    for key in TUNED:
        ours = {*SMALL.get(key, ()), *SMALL_TABLES.get(key, ()), FEW.get(key)}
        if spark.conf.get(key, None) not in {None, default_of(key), *ours}:
            continue
        if key in wanted:
            spark.conf.set(key, wanted[key])
        else:
            spark.conf.unset(key)


def tune_storage(spark: SparkSession, zstd_level: int) -> None:
    """How this session compresses what it writes from now on; files that are there are read whatever they have."""
    for key, value in (STORED | {ZSTD_LEVEL: str(zstd_level)}).items():
        spark.conf.set(key, value)


def default_of(key: str) -> str | None:
    """Spark's own default of the few keys in local.conf that have one (Spark 4.1, Delta 4.4)."""
    return {
        "spark.sql.shuffle.partitions": "200",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "10000",
        "spark.sql.ui.explainMode": "formatted",
    }.get(key)
