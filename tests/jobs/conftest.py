"""A warehouse that one nightly run made from the sample, for all tests that ask something of it."""

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobs.questions import ask, asking, findings, status, verify_findings
from pipeline.views.reading.answers import Answers
from tests.conftest import REPOSITORY
from tests.golden import unpacked
from tests.jobs.answering import answers_of_logs
from tests.jobs.cluster_scores import Compared
from tests.lab import folder_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAMPLE = REPOSITORY / "tests" / "data" / "sample"


@dataclass(frozen=True)
class NightlyRun:
    """What one run of the nightly job left behind."""

    warehouse: str
    screen: str


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A warehouse of this format, the test's own."""
    return unpacked(tmp_path)


@pytest.fixture(scope="session")
def sample_run(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> NightlyRun:
    """One nightly run over the sample, in this process; about a minute, once."""
    from jobs import nightly  # noqa: PLC0415  (it needs Spark)
    from tests.tuning import tuning_kept  # noqa: PLC0415  (it needs Spark)

    warehouse = str(tmp_path_factory.mktemp("sample") / "warehouse")
    printed = io.StringIO()
    with tuning_kept(spark), redirect_stdout(printed), pytest.MonkeyPatch.context() as patch:
        patch.setenv("KCA_LIMITS__SHARD_BYTES", "4000000")  # so that there are two
        given = ["--logs", str(SAMPLE), "--warehouse", warehouse, "--placement", "executors"]
        code = nightly.main([*given, "--details"])
    assert code == 0, printed.getvalue()
    return NightlyRun(warehouse, printed.getvalue())


@pytest.fixture(scope="session")
def sample_warehouse(sample_run: NightlyRun) -> str:
    """The warehouse; tests read it and leave it as it is."""
    return sample_run.warehouse


@pytest.fixture(scope="session")
def sample_screen(sample_run: NightlyRun) -> str:
    """What the run printed on stdout."""
    return sample_run.screen


@pytest.fixture(scope="session")
def sample_answers() -> Answers:
    """The tables of the sample, built in memory by the kernels."""
    return answers_of_logs(SAMPLE / "lab-2.2.2")


@pytest.fixture(scope="session")
def compared(shared: Path) -> Callable[[str], Compared]:
    """The tables of a lab cluster beside its truth; the last few are kept."""
    return lru_cache(maxsize=3)(lambda name: Compared(folder_of(shared, name)))


@pytest.fixture
def sample_in_memory(sample_answers: Answers, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """The follow-up commands ask these, without Spark."""
    for module in (ask, findings, status, asking, verify_findings):
        monkeypatch.setattr(module, "all_answers", lambda *_: [sample_answers])
    return sample_answers
