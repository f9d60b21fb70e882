"""Every table of a nightly job, read day by day, is what one reading of all days gives."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import nightly
from tests.bench.data import FIRST_DAY, SAMPLE, logs, renamed
from tests.life.harness import PUBLISHED, Harness, require_same, tables_of

pytestmark = [pytest.mark.spark, pytest.mark.soak]
DAYS = 3
# Findings keep in which night they were new.
WITHOUT = ("status",)


def day(folder: Path, number: int) -> None:
    """The sample on one more day, long quiet; the last terms of a day go on in the next."""
    for path, _ in logs(SAMPLE):
        target = folder / path.parent.name / f"{path.name}.{FIRST_DAY + timedelta(days=number)}-23"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(renamed(path.read_bytes(), (), number))
        os.utime(target, (0, 0))


def test_days_one_by_one(spark: SparkSession, tmp_path: Path) -> None:
    """The days come in another order than they were written: the second one is late."""
    often, once = (Harness(spark, tmp_path / name, job=nightly.main) for name in ("often", "once"))
    for number in (0, 2, 1):
        day(often.logs, number)
        assert often.run() in PUBLISHED
    shutil.copytree(often.logs, once.logs)
    assert once.run() in PUBLISHED
    names = tables_of("nightly")
    found = require_same(often, once, names, WITHOUT)
    assert len(found["gold.transition_audit"]) > 1000
