"""kill -9 of the driver at acts of a run: readers see what they saw, and the next run makes all of it good."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.conftest import REPOSITORY
from tests.life.dead_runs import SecondRun, second_run

pytestmark = [pytest.mark.spark, pytest.mark.soak]
TIMES = 10
SOME = 6  # of the acts of a run, before or after
QUARTERS = 4  # all of them, in parts that can be run one by one

Point = tuple[int, str]  # an act, and "before" or "after" it


def dying(
    second: SecondRun,
    warehouse: Path,
    at: int = 0,
    when: str = "before",
    layer: str = "",
    seconds: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """A run that is killed at an act on a table of a layer, or after so many seconds (TimeoutExpired)."""
    arguments = ["--logs", str(second.logs), "--warehouse", str(warehouse), "--cluster", "c"]
    return subprocess.run(
        [sys.executable, "-m", "tests.life.dying", str(at), when, layer, second.job, *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )


def is_killed(second: SecondRun, seconds: float) -> bool:
    """Whether the run was not through by then."""
    try:
        dying(second, second.warehouse, seconds=seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def spread(every: list[Point]) -> list[Point]:
    return every[:: len(every) // SOME]


def quarter(place: int, every: list[Point]) -> list[Point]:
    return every[len(every) * place // QUARTERS : len(every) * (place + 1) // QUARTERS]


@pytest.mark.parametrize(
    ("job", "layer", "chosen"),
    [
        pytest.param("ingest", "", spread, id="some"),
        pytest.param("nightly", "gold.", spread, id="some-gold"),
        *(
            pytest.param("ingest", "", partial(quarter, place), id=f"quarter-{place + 1}")
            for place in range(QUARTERS)
        ),
    ],
)
def test_killed_at_acts(
    spark: SparkSession, tmp_path: Path, job: str, layer: str, chosen: Callable[[list[Point]], list[Point]]
) -> None:
    second = second_run(spark, tmp_path, is_reopening=True, job=job)
    said = dying(second, second.whole, layer=layer)
    counted = re.search(r"acts (\d+)", said.stdout)
    assert said.returncode == 0 and counted is not None, said.stderr[-2000:]
    # The row of ops.run is the last act: once it is written, the run is published.
    every = [(at, when) for at in range(1, int(counted[1]) + 1) for when in ("before", "after")][:-1]
    for at, when in chosen(every):
        assert dying(second, second.warehouse, at, when, layer).returncode == -signal.SIGKILL, (at, when)
        second.is_as_before()
    second.make_good()


def test_killed_at_random_times(spark: SparkSession, tmp_path: Path) -> None:
    """From the first second of a driver to its last; its Java process may live on for a moment and write."""
    second = second_run(spark, tmp_path, is_reopening=True)
    begun_at = time.monotonic()
    assert dying(second, second.whole).returncode == 0
    longest = time.monotonic() - begun_at
    random = Random(TIMES)  # noqa: S311  (moments, no secret)
    for seconds in sorted(random.uniform(0, longest) for _ in range(TIMES)):
        if is_killed(second, seconds):
            second.is_as_before()
    second.make_good()
