"""The follow-up commands answer in a process that loads neither Spark nor Java's bridge."""

import os
import subprocess
import sys
from pathlib import Path

from jobs import cli
from jobs.questions.catalog import QUESTIONS
from pipeline.store.spark.spark_configuration import CONFIGURED_BY
from tests.conftest import REPOSITORY
from tests.golden import CLUSTER
from tests.jobs.asking import words_of

# It reads an older run, whose times pyarrow gives through pandas.
OLDER = {"compare-nights"}
COMMANDS = (
    "findings",
    "views",
    "doctor",
    "notify --dry-run",
    "verify",
    *(" ".join(words_of(name)) for name in QUESTIONS if name in cli.COMMANDS and name != "imbalance"),
    *(" ".join(["ask", *words_of(name)]) for name in sorted(QUESTIONS.keys() - cli.COMMANDS.keys() - OLDER)),
)
ASKED = """
import sys
sys.modules.update(dict.fromkeys(("pyspark", "py4j", "delta")))
from jobs.cli import main
for command in {commands}:
    try:
        code = main([*command.split(), "--warehouse", {warehouse!r}])
    except SystemExit as problem:
        code = problem.code
    print("EXIT", command, code)
assert "pandas" not in sys.modules, "it takes as long to load as a question to answer"
"""


def asked(warehouse: Path, *commands: str) -> dict[str, int]:
    script = ASKED.format(commands=commands, warehouse=str(warehouse))
    plain = {name: value for name, value in os.environ.items() if name not in CONFIGURED_BY}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, env=plain, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    ends = [line.split() for line in done.stdout.splitlines() if line.startswith("EXIT")]
    return {" ".join(words[1:-1]): int(words[-1]) for words in ends}


def test_every_question_is_answered_without_spark(golden: Path) -> None:
    """4: what is asked for is not there (a partition, a term), which only the tables can tell."""
    assert set(asked(golden, *COMMANDS).values()) <= {0, 4}
    assert (golden / CLUSTER).is_dir()


def test_a_warehouse_may_lie_in_any_folder(golden: Path) -> None:
    moved = golden.rename(golden.parent / "Logs für #1")
    assert asked(moved, "findings", "runs", "terms") == {"findings": 0, "runs": 0, "terms": 0}


def test_what_writes_a_warehouse_says_what_is_missing(tmp_path: Path) -> None:
    commands = ("nightly --logs .", "maintain", "forget --cluster c", "migrate")
    assert asked(tmp_path, *commands) == dict.fromkeys(commands, 3)


def test_a_warehouse_that_only_spark_reads_says_so() -> None:
    assert asked(Path("hdfs://nowhere/warehouse"), "terms", "doctor") == {"terms": 3, "doctor": 3}
