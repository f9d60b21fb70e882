"""Fetch Delta's jars once, by one quiet start of Spark, into the folder that later starts take them from.

Sessions that start at once on a cold cache break each other, so `make` does this before anything else.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from pipeline.core.errors import EnvironmentProblem, PipelineError

DEADLINE_SECONDS = 600
START = (
    "from pyspark.sql import SparkSession\n"
    "spark = SparkSession.builder.getOrCreate()\n"
    "print('JARS=' + spark.sparkContext.getConf().get('spark.jars', ''))\n"
    "spark.stop()\n"
)
TODO = (
    "connect to the network once, or set DEFAULT_ARTIFACT_REPOSITORY to your company's mirror, or "
    "copy the folder that `make jars` fills on another machine to here as jars/, then run the command again"
)


def main(jars: Path, log: Path) -> int:
    """Exit code 0 once the folder `jars` holds Delta's jars; what Spark printed is in the file `log`."""
    if not is_complete(jars):
        fetch_jars(jars, log)
    return 0


def is_complete(jars: Path) -> bool:
    wanted = version("delta-spark")
    return all(any(jars.glob(f"*{name}*{wanted}.jar")) for name in ("delta-spark", "delta-storage"))


def fetch_jars(jars: Path, log: Path) -> None:
    conf = Path(__file__).resolve().parents[1] / "conf"
    environ = {
        **os.environ,
        "SPARK_CONF_DIR": str(conf),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": "--master local[1] --conf spark.ui.enabled=false pyspark-shell",
    }
    environ.pop("SPARK_HOME", None)
    try:
        started = subprocess.run(  # noqa: S603  (this Python and the text above, nothing from outside)
            [sys.executable, "-c", START],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        log.write_text(late.output.decode(errors="replace") if isinstance(late.output, bytes) else "")
        found = f"no answer within {DEADLINE_SECONDS} s (Spark's words are in {log})"
        raise EnvironmentProblem(expected="Delta's jars to be fetched", found=found, todo=TODO) from late
    log.write_text(started.stdout)
    paths = re.search(r"^JARS=(.+)$", started.stdout, re.MULTILINE)
    if started.returncode or paths is None:
        raise spark_problem(started.stdout, log)
    copy_jars([Path(path.removeprefix("file://")) for path in paths[1].split(",")], jars)
    if not is_complete(jars):
        raise spark_problem("UNRESOLVED DEPENDENCIES", log)


def spark_problem(printed: str, log: Path) -> EnvironmentProblem:
    if re.search("UNRESOLVED DEPENDENCIES|unresolved dependency|DOWNLOAD FAILED", printed):
        found = f"that they cannot be downloaded and are not in the local cache (Spark's words are in {log})"
        return EnvironmentProblem(expected="Delta's jars to be fetched", found=found, todo=TODO)
    return EnvironmentProblem(
        expected="Spark to start",
        found=f"that it did not (its words are in {log})",
        todo="read the end of that file",
    )


def copy_jars(sources: list[Path], jars: Path) -> None:
    """A copy that was cut short is no jar, and Delta of another release must not stand beside."""
    jars.mkdir(parents=True, exist_ok=True)
    for source in sources:
        part = jars / (source.name + ".part")
        shutil.copyfile(source, part)
        part.replace(jars / source.name)
    for other in {*jars.glob("*delta-*.jar")} - {jars / source.name for source in sources}:
        other.unlink()


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
    except PipelineError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(problem.exit_code)
