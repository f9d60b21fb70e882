"""kill -9 of any process of a nightly at any time of its first, second and third night: readers see what they saw or
what it published, and the night that follows makes all of it good."""

import os
import shutil
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.conftest import REPOSITORY
from tests.jobs.small_logs import COMPARED, contents, run
from tests.life.processes import VICTIMS, Ended, nightly, run_seq

pytestmark = [pytest.mark.spark, pytest.mark.soak]
SAMPLE = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2"
# A night of the sample each: what it adds to the folder.
NIGHTS = ("*.gz", "controller.log", "*.log")
# Of each night; KILLS=100 in the environment for all night long.
KILLS = int(os.environ.get("KILLS", "6"))
PUBLISHED = (0, 7)
ENVIRONMENT = 3
SPARK_IS_GONE = "nightly: Expected Spark to go on until the end"


@pytest.mark.parametrize("night", [1, 2, 3])
def test_a_night_survives_its_processes(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], night: int
) -> None:
    """begun: as the night found it, to which a run leads back that got through all the same. Nights that nobody kills
    are run here, where Spark is there already, but for the one that tells how long a night takes."""
    logs, warehouse, twin, begun = (tmp_path / name for name in ("logs", "warehouse", "twin", "begun"))
    for pattern in NIGHTS[: night - 1]:
        deliver(logs, pattern)
        assert run(logs, warehouse) in PUBLISHED
    deliver(logs, NIGHTS[night - 1])
    copied(warehouse, begun)
    copied(warehouse, twin)
    whole = nightly(logs, twin)
    assert whole.code in PUBLISHED, whole.said[-2000:]
    expected, random = contents(twin, COMPARED), Random(night)  # noqa: S311  (moments, no secret)
    for at in range(KILLS):
        ended = nightly(logs, warehouse, VICTIMS[at % len(VICTIMS)], random.uniform(0, whole.seconds))
        published = run_seq(warehouse)
        with capsys.disabled():
            print(f"\nnight {night}: {ended.killed} at {ended.killed_at:.1f} s: {ended.code}, {published}")
        assert published in (night - 1, night)
        assert is_told(ended), ended.said[-2000:]
        if published == night:
            assert contents(warehouse, COMPARED) == expected
            shutil.rmtree(warehouse)
            copied(begun, warehouse)
    assert run(logs, warehouse) in PUBLISHED
    assert contents(warehouse, COMPARED) == expected


def deliver(logs: Path, pattern: str) -> None:
    for path in SAMPLE.rglob(pattern):
        target = logs / path.relative_to(SAMPLE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def copied(warehouse: Path, target: Path) -> None:
    if warehouse.exists():
        shutil.copytree(warehouse, target)


def is_told(ended: Ended) -> bool:
    """A driver that lives on ends with a sentence that names Spark; what PySpark's own threads print is before it."""
    if ended.killed == "driver" or ended.code in PUBLISHED:
        return True
    return ended.code == ENVIRONMENT and ended.said.splitlines()[-1].startswith(SPARK_IS_GONE)
